// zlib's own header, under a name that SwiftPM's system library target can find on every platform.
#include <zlib.h>
