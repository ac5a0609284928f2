// The classic faults of event-stream parsers, as they are met in public code. Each is one place in PlantedParser.swift.

/// Something that parsers get wrong.
enum Fault: String, CaseIterable {
  // Line ends
  case bareCR = "bare-cr"  // CR alone ends no line
  case splitCRLF = "split-crlf"  // a CR LF that two chunks share ends two lines
  case lineSeparator = "line-separator"  // U+2028 ends a line
  // The byte order mark
  case keepsMark = "keeps-mark"  // it becomes part of the first field's name
  case markInEveryLine = "mark-in-every-line"  // it is removed wherever a line begins with it
  case splitMark = "split-mark"  // the program ends where two chunks share it
  // Fields
  case needsColon = "needs-colon"  // a field without a colon is none
  case stripsSpaces = "strips-spaces"  // all spaces after the colon are removed
  case trimsNames = "trims-names"  // spaces around a field's name are removed
  case ignoresCase = "ignores-case"  // Data is taken for data
  case combiningMark = "combining-mark"  // names end at a character: a mark after the colon hides it
  // Blocks
  case emptyData = "empty-data"  // a first data line that is empty is forgotten
  case withoutData = "without-data"  // a block without data is an event
  case typeStays = "type-stays"  // the type of a block without data goes on to the next block
  case dispatchesEarly = "dispatches-early"  // a line end at a chunk's end is taken for a blank line
  // The last event ID
  case idForgotten = "id-forgotten"  // it holds for its own block alone
  case idNeedsData = "id-needs-data"  // it is lost with a block without data
  case idWithNUL = "id-with-nul"  // one that holds NUL is taken
  // Bytes
  case decodesChunks = "decodes-chunks"  // each chunk is decoded for itself
  case refusesBytes = "refuses-bytes"  // an event that isn't UTF-8 is dropped
  case fixedBuffer = "fixed-buffer"  // a line's bytes past the 80th are lost
  // What only some servers send
  case retryOverflows = "retry-overflows"  // a reconnection time past 2⁶³ ends the program
  case endsAtDone = "ends-at-done"  // nothing is read after [DONE]
  case emptyChunk = "empty-chunk"  // an empty chunk is taken for the end
  // Work
  case copiesBuffer = "copies-buffer"  // the unfinished line is copied with every chunk
}
