# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec raises: `prec.Error`, below it one exception of importing and those of the runtime, one a code of
prec-rt.h, each also a Python exception that says the same."""


class Error(Exception):
    """Whatever prec refuses."""


class ImportFailure(Error, ValueError):
    """A rule that the model, optimizer or batch breaks; the message is one line unless it lists several breaches."""


class CompileFailure(Error, RuntimeError):
    """What a tool of the compiler refused, in its own words, or a tool that is not there."""


class StepFailure(Error, RuntimeError):
    """A rule that a call of a compiled step breaks: the model, the optimizer or the batch is not as it was compiled.
    Nothing has changed then."""


class RuntimeFailure(Error):
    """What the runtime refused, in its own words: one line, or one line a difference."""

    code = 0  # of prec_rt_code


class InvalidArgument(RuntimeFailure, ValueError):
    """An argument that no module takes, or that does not fit this one."""

    code = 1


class InvalidState(RuntimeFailure, RuntimeError):
    """Not at this time: inputs are not set, or the module is closed."""

    code = 2


class BadValue(RuntimeFailure, ValueError):
    """Numbers that must not be: an index that is no row of its table, a value that is not exact."""

    code = 3


class NotFound(RuntimeFailure, FileNotFoundError):
    """A file or folder that is not there."""

    code = 4


class FileFailure(RuntimeFailure, OSError):
    """A file or folder that cannot be read or written."""

    code = 5


class BadFile(RuntimeFailure, ValueError):
    """A file that is damaged, of another format or version, or does not fit the module."""

    code = 6


class OutOfMemory(RuntimeFailure, MemoryError):
    """Memory of the host or the device does not suffice."""

    code = 7


class DeviceFailure(RuntimeFailure, RuntimeError):
    """The processor, GPU, driver or a library is absent, too old, another one, or fails."""

    code = 8


class Unsupported(RuntimeFailure, NotImplementedError):
    """What the runtime, its build or the module cannot do."""

    code = 9


class Busy(RuntimeFailure, RuntimeError):
    """Another call has not returned, a step was begun and not waited for, or another process saves in the folder."""

    code = 10


class InternalFault(RuntimeFailure):
    """A fault of the runtime."""

    code = 11


class FunctionFailure(RuntimeFailure, RuntimeError):
    """A function that a call of the module is computed by has failed; what ran before it has run."""

    code = 12


class RanksFailure(RuntimeFailure, ConnectionError):
    """Ranks do not come, ended, are silent, or do not do the same: which, and why, as far as that is known."""

    code = 13


BY_CODE = {error.code: error for error in (InvalidArgument, InvalidState, BadValue, NotFound, FileFailure, BadFile, OutOfMemory,
                                           DeviceFailure, Unsupported, Busy, InternalFault, FunctionFailure, RanksFailure)}
