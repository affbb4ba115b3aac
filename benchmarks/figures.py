# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of the benchmarks, drawn without a display."""
import contextlib


@contextlib.contextmanager
def figure(path, rows=1, columns=1, *, dpi=120, **options):
    """The axes that pyplot.subplots makes, whose figure is in `path` behind the block."""
    # Whoever draws nothing needs no Matplotlib.
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    made, axes = pyplot.subplots(rows, columns, **options)
    yield axes
    if "layout" not in options:
        made.tight_layout()
    made.savefig(path, dpi=dpi, metadata={"Software": None})
    pyplot.close(made)


def label_losses(above, below, title):
    """Losses of steps above, and below them their differences from others."""
    above.set_title(title)
    above.legend(fontsize=8)
    below.axhline(0, color="black", linewidth=0.5)
    below.set_xlabel("step")


def label_layers(axes, layers, **labels):
    """What grows with the number of layers, at these numbers."""
    axes.set(xlabel="layers", **labels)
    axes.set_xticks(layers, map(str, layers))
    axes.legend(fontsize=8)
