// SPDX-License-Identifier: BSD-3-Clause
/* GPZ_API exports a symbol from the shared libraries; all other symbols are hidden. GPZ_LOCAL hides a class that is
 * nested in an exported one. */
#ifndef GPZ_EXPORT_H
#define GPZ_EXPORT_H

#if defined(__GNUC__)
#define GPZ_API __attribute__((visibility("default")))
#define GPZ_LOCAL __attribute__((visibility("hidden")))
#else
#define GPZ_API
#define GPZ_LOCAL
#endif

#endif
