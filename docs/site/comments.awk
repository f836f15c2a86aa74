# SPDX-License-Identifier: BSD-3-Clause
# The input filter of Doxygen: makes its comments of the plain ones in a public header. Lines keep their numbers.

# What means something to Doxygen inside of its comments, but not in ours.
function plain(text) {
  if (text ~ /^( \*)?   /) {                          # code, for which Markdown wants four blanks
    sub(/^( \*)?/, "&    ", text)
    return text
  }
  gsub(/[\\@<>#]/, "\\\\&", text)
  return text
}

# Replaces `sign`, with which the comment of this line begins, by that of Doxygen.
function documented(sign, by,   at) {
  at = index($0, sign)
  return substr($0, 1, at - 1) by plain(substr($0, at + length(sign)))
}

# The pages say in which namespace declarations are. For the reader of C, a structure and its typedef are one name.
/^namespace gpz/ || /^}  \/\/ namespace gpz/ { print ""; next }
/^typedef (enum|struct) .*\{/ { sub(/^typedef /, "") }
/} gpz_[a-z_]+;$/ { sub(/} gpz_[a-z_]+;$/, "};") }

NR == 1 { next_is_head = 1; next }                  # the licence
next_is_head {
  next_is_head = 0
  if (/^\/\/ /) { print "/// \\file"; print documented("//", "///"); next }
  print "/** \\file"
  print " * " plain(substr($0, 4))
  in_block = 1
  next
}
in_block {
  ends = sub(/ *\*\/ *$/, "")
  print plain($0) (ends ? " */" : "")
  in_block = !ends
  next
}
/^ *\/\* --- / { print ""; next }                    # the title of a section
/^ *\/\/ / { print documented("//", "///"); next }
/\/\/ / { print documented("//", "///<"); next }     # behind a declaration
/\/\* .*\*\/ *$/ {
  sub(/ *\*\/ *$/, "")
  print documented("/*", /^ *\/\*/ ? "/**" : "/**<") " */"
  next
}
/^ *\/\* / { print documented("/*", "/**"); in_block = 1; next }
{ print }
