// Changes to an event stream that keep it one: lines come, go and move, line ends change. A fuzzer's own mutations of
// bytes rarely do that. Pure: the same input and seed, the same result. Cuts need no mutation: they follow from the
// content, so that every change of it moves them.

import ServerSentEvents

/// Mutates event streams line by line.
public enum StreamMutator {
  /// The stream with one to four changes.
  public static func mutate(_ stream: [UInt8], seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var supply = StreamGenerator(seed: generator.next())
    var lines = split(stream)
    for _ in 0...generator.below(4) {
      let place = generator.below(lines.count)
      switch generator.below(10) {
      case 0, 1: lines.insert(Line(content: supply.nextLine(), end: generator.pick(ends)), at: place)
      case 2: lines.insert(Line(content: [], end: generator.pick(ends)), at: place)
      case 3: lines[place].end = generator.pick(ends)
      case 4 where lines.count > 1: lines.remove(at: place)
      case 5: lines.insert(lines[place], at: generator.below(lines.count + 1))
      case 6: lines.swapAt(place, generator.below(lines.count))
      case 7:
        let offset = generator.below(lines[place].content.count + 1)
        lines[place].content.insert(contentsOf: supply.nextPiece(), at: offset)
      case 8: lines[place].content.insert(contentsOf: EventStreamEncoder.byteOrderMark, at: 0)
      default: lines[place].content += supply.nextLine()
      }
    }
    return lines.flatMap { $0.content + $0.end }
  }

  private struct Line {
    var content: [UInt8]
    var end: [UInt8]
  }

  private static let ends: [[UInt8]] = [[0x0A], [0x0D, 0x0A], [0x0D]]

  /// The lines with their ends; the last has none, and there always is one.
  private static func split(_ stream: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var content: [UInt8] = []
    var index = 0
    while index < stream.count {
      let byte = stream[index]
      index += 1
      guard byte == 0x0A || byte == 0x0D else {
        content.append(byte)
        continue
      }
      var end = [byte]
      if byte == 0x0D, index < stream.count, stream[index] == 0x0A {
        end.append(0x0A)
        index += 1
      }
      lines.append(Line(content: content, end: end))
      content = []
    }
    lines.append(Line(content: content, end: []))
    return lines
  }
}
