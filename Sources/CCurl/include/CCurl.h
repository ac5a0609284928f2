// libcurl's interface as far as this package needs it, without libcurl's headers: a machine that builds the package need
// not have them, and one that runs it has the library, because Foundation's networking on Linux is made of it. The
// library is loaded at first use. Numbers and types are those of libcurl 7.68 and newer, whose binary interface is stable
// by its maintainers' word; what C declares with `...` has here one function for each type of argument, since Swift calls
// no such functions.

#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/// Options of a transfer (`CURLOPT_…`). The type of the value is number / 10 000: long, pointer, function, 64 bits.
enum {
  CCURL_VERBOSE = 41,
  CCURL_NOBODY = 44,
  CCURL_POST = 47,
  CCURL_HTTPGET = 80,
  CCURL_NOSIGNAL = 99,
  CCURL_PROTOCOLS = 181,
  CCURL_TCP_KEEPALIVE = 213,
  CCURL_PATH_AS_IS = 234,
  CCURL_SUPPRESS_CONNECT_HEADERS = 265,
  CCURL_WRITEDATA = 10001,
  CCURL_URL = 10002,
  CCURL_ERRORBUFFER = 10010,
  CCURL_HTTPHEADER = 10023,
  CCURL_HEADERDATA = 10029,
  CCURL_CUSTOMREQUEST = 10036,
  CCURL_CAINFO = 10065,
  CCURL_DEBUGDATA = 10095,
  CCURL_ACCEPT_ENCODING = 10102,
  CCURL_COPYPOSTFIELDS = 10165,
  CCURL_WRITEFUNCTION = 20011,
  CCURL_HEADERFUNCTION = 20079,
  CCURL_DEBUGFUNCTION = 20094,
  CCURL_POSTFIELDSIZE_LARGE = 30120,
};

/// `CURLPROTO_HTTP | CURLPROTO_HTTPS`.
enum { CCURL_PROTOCOLS_WEB = 3 };
/// `CURL_ERROR_SIZE`.
enum { CCURL_ERROR_SIZE = 256 };

typedef struct CCurlEasy CCurlEasy;
typedef struct CCurlMulti CCurlMulti;
typedef struct CCurlList CCurlList;
/// Takes `size` * `count` bytes and returns how many it took; another number ends the transfer.
typedef size_t (*CCurlTake)(char *bytes, size_t size, size_t count, void *context);
/// Hears, with `CCURL_VERBOSE`, of all that a transfer does, and returns 0.
typedef int (*CCurlHear)(CCurlEasy *easy, int kind, char *bytes, size_t count, void *context);
/// The kind for bytes of a body as they came, its chunks' sizes and extensions with them (`CURLINFO_DATA_IN`).
enum { CCURL_HEARS_BODY = 3 };

/// Loads and initializes the library, once; false where there is none that will do.
_Bool ccurl_load(void);
/// The library's name for itself, such as `libcurl/7.88.1 OpenSSL/3.0`. Only after `ccurl_load`, as everything below.
const char *ccurl_version(void);
/// A result code in words.
const char *ccurl_text(int code);

CCurlEasy *ccurl_easy_new(void);
void ccurl_easy_free(CCurlEasy *easy);
int ccurl_set_long(CCurlEasy *easy, int option, long value);
int ccurl_set_int64(CCurlEasy *easy, int option, int64_t value);
int ccurl_set_text(CCurlEasy *easy, int option, const char *value);
int ccurl_set_pointer(CCurlEasy *easy, int option, void *value);
/// Bytes that the library copies.
int ccurl_set_bytes(CCurlEasy *easy, int option, const void *value);
int ccurl_set_list(CCurlEasy *easy, int option, CCurlList *value);
int ccurl_set_function(CCurlEasy *easy, int option, CCurlTake value);
int ccurl_set_hearing(CCurlEasy *easy, int option, CCurlHear value);

/// The list with a copy of the text at its end; NULL if memory is out, and then the old list is still there.
CCurlList *ccurl_list_append(CCurlList *list, const char *text);
void ccurl_list_free(CCurlList *list);

CCurlMulti *ccurl_multi_new(void);
void ccurl_multi_free(CCurlMulti *multi);
int ccurl_multi_add(CCurlMulti *multi, CCurlEasy *easy);
int ccurl_multi_remove(CCurlMulti *multi, CCurlEasy *easy);
/// Does what can be done without waiting; `running` tells how many transfers go on.
int ccurl_multi_perform(CCurlMulti *multi, int *running);
/// Waits until there is something to do, or for `ccurl_multi_wakeup`.
int ccurl_multi_poll(CCurlMulti *multi, int milliseconds);
/// The one function that may be called from another thread.
int ccurl_multi_wakeup(CCurlMulti *multi);
/// The result of the transfer that is over; -1 if none is.
int ccurl_multi_result(CCurlMulti *multi);

#endif
