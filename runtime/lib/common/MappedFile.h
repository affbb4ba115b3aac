//===- MappedFile.h - a file as read-only memory ----------------*- C++ -*-===//
#ifndef PREC_RT_COMMON_MAPPEDFILE_H
#define PREC_RT_COMMON_MAPPEDFILE_H

#include "Status.h"

#include <string>
#include <string_view>

namespace prec::rt {

class MappedFile {
public:
  /// Only regular files; the message starts with the path.
  static Result<MappedFile> open(const std::string &path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return view; }

private:
  std::string_view view;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_MAPPEDFILE_H
