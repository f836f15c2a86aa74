// SPDX-License-Identifier: BSD-3-Clause
/* Statuses of calls: a part of the C interface of gpz. Programs include gpz/gpz.h, which explains statuses, handles and
 * structures. */
#ifndef GPZ_GPZ_STATUS_H
#define GPZ_GPZ_STATUS_H

#include "gpz/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These numbers never change, nor do those of the other enumerations. */
typedef enum gpz_status {
  GPZ_OK = 0,
  GPZ_INVALID_ARGUMENT = 1,
  GPZ_IO_ERROR = 2,
  GPZ_NOT_GPZ = 3,
  GPZ_UNSUPPORTED_VERSION = 4,
  GPZ_CORRUPT = 5,
  GPZ_TRUNCATED = 6,
  GPZ_OUT_OF_MEMORY = 7,
  GPZ_NOT_FOUND = 8,
  GPZ_LIMIT_EXCEEDED = 9,
  GPZ_INTERNAL = 10,
  GPZ_UNSUPPORTED = 11 /* valid, but this function cannot handle it; another one can */
} gpz_status;

/* gpz_status_text: a short text for a status. gpz_last_error: the reason of the last failure in this thread ("" if
 * there was none); the text is valid until this thread's next failing call. */
GPZ_API const char *gpz_status_text(gpz_status status);
GPZ_API const char *gpz_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
