// SPDX-License-Identifier: BSD-3-Clause
// Version of the compiled library.
#include "gpz/version.h"

const char *gpz_version_string(void) { return GPZ_VERSION_STRING; }
int gpz_version_number(void) { return GPZ_VERSION_NUMBER; }
int gpz_format_version(void) { return GPZ_FORMAT_VERSION; }
