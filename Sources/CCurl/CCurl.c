// Finds libcurl's functions in the library at first use, and calls them with the types that the header promises.

#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/// `CURLMsg`.
typedef struct {
  int kind;
  CCurlEasy *easy;
  union {
    void *whatever;
    int result;
  } data;
} Message;

enum { MESSAGE_DONE = 1, GLOBAL_ALL = 3 };

static struct {
  int (*global_init)(long flags);
  const char *(*version)(void);
  const char *(*easy_strerror)(int code);
  CCurlEasy *(*easy_init)(void);
  void (*easy_cleanup)(CCurlEasy *);
  int (*easy_setopt)(CCurlEasy *, int option, ...);
  CCurlList *(*slist_append)(CCurlList *, const char *);
  void (*slist_free_all)(CCurlList *);
  CCurlMulti *(*multi_init)(void);
  int (*multi_cleanup)(CCurlMulti *);
  int (*multi_add_handle)(CCurlMulti *, CCurlEasy *);
  int (*multi_remove_handle)(CCurlMulti *, CCurlEasy *);
  int (*multi_perform)(CCurlMulti *, int *running);
  int (*multi_poll)(CCurlMulti *, void *extra, unsigned int count, int milliseconds, int *ready);
  int (*multi_wakeup)(CCurlMulti *);
  Message *(*multi_info_read)(CCurlMulti *, int *left);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Bool isLoaded = 0;

#define FIND(name)                                              \
  do {                                                          \
    *(void **)&curl.name = dlsym(library, "curl_" #name);       \
    if (!curl.name) return;                                     \
  } while (0)

static void load(void) {
#if defined(__linux__)
  // Foundation has loaded it under this name already, where it is linked dynamically.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  FIND(global_init);
  FIND(version);
  FIND(easy_strerror);
  FIND(easy_init);
  FIND(easy_cleanup);
  FIND(easy_setopt);
  FIND(slist_append);
  FIND(slist_free_all);
  FIND(multi_init);
  FIND(multi_cleanup);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_perform);
  FIND(multi_poll);    // since 7.66
  FIND(multi_wakeup);  // since 7.68
  FIND(multi_info_read);
  isLoaded = curl.global_init(GLOBAL_ALL) == 0;
#endif
}

_Bool ccurl_load(void) {
  pthread_once(&once, load);
  return isLoaded;
}

const char *ccurl_version(void) { return curl.version(); }
const char *ccurl_text(int code) { return curl.easy_strerror(code); }

CCurlEasy *ccurl_easy_new(void) { return curl.easy_init(); }
void ccurl_easy_free(CCurlEasy *easy) { curl.easy_cleanup(easy); }
int ccurl_set_long(CCurlEasy *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_int64(CCurlEasy *easy, int option, int64_t value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_text(CCurlEasy *easy, int option, const char *value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_pointer(CCurlEasy *easy, int option, void *value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_bytes(CCurlEasy *easy, int option, const void *value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_list(CCurlEasy *easy, int option, CCurlList *value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_function(CCurlEasy *easy, int option, CCurlTake value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_hearing(CCurlEasy *easy, int option, CCurlHear value) { return curl.easy_setopt(easy, option, value); }

CCurlList *ccurl_list_append(CCurlList *list, const char *text) { return curl.slist_append(list, text); }
void ccurl_list_free(CCurlList *list) { curl.slist_free_all(list); }

CCurlMulti *ccurl_multi_new(void) { return curl.multi_init(); }
void ccurl_multi_free(CCurlMulti *multi) { curl.multi_cleanup(multi); }
int ccurl_multi_add(CCurlMulti *multi, CCurlEasy *easy) { return curl.multi_add_handle(multi, easy); }
int ccurl_multi_remove(CCurlMulti *multi, CCurlEasy *easy) { return curl.multi_remove_handle(multi, easy); }
int ccurl_multi_perform(CCurlMulti *multi, int *running) { return curl.multi_perform(multi, running); }
int ccurl_multi_poll(CCurlMulti *multi, int milliseconds) { return curl.multi_poll(multi, NULL, 0, milliseconds, NULL); }
int ccurl_multi_wakeup(CCurlMulti *multi) { return curl.multi_wakeup(multi); }

int ccurl_multi_result(CCurlMulti *multi) {
  int left = 0;
  for (Message *message = curl.multi_info_read(multi, &left); message; message = curl.multi_info_read(multi, &left)) {
    if (message->kind == MESSAGE_DONE) return message->data.result;
  }
  return -1;
}
