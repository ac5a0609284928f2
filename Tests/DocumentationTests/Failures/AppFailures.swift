// What goes wrong with payloads and with the last event ID that an app keeps.

import EventSourceURLSession
import Foundation
import ScratchFolders
import ServerSentEvents

extension Failure {
  static let app: [Failure] = [
    payload(
      "missingKey", "a payload without the member that the type needs",
      "an event of type 'order' with 12 bytes could not be decoded (missing key: no member 'id' at depth 0); it was skipped; compare the type with what the server sends",
      #"{"name":"x"}"#),
    payload(
      "wrongType", "a text where the type has a number",
      "an event of type 'order' with 10 bytes could not be decoded (wrong type: expected Int at depth 1); it was skipped; compare the type with what the server sends",
      #"{"id":"x"}"#),
    payload(
      "missingValue", "null where the type has a number",
      "an event of type 'order' with 11 bytes could not be decoded (missing value: expected Int, found null, at depth 1); it was skipped; compare the type with what the server sends",
      #"{"id":null}"#),
    payload(
      "corrupt", "a payload that is no JSON",
      "an event of type 'order' with 4 bytes could not be decoded (corrupt: a value at depth 0 can't be read); it was skipped; compare the type with what the server sends",
      "id=1"),
    Failure(
      "TypedEventFailure.other", "a decoder with an error of its own",
      "an event of type 'order' with 1 byte could not be decoded (other: the decoder threw NothingFailed); it was skipped; compare the type with what the server sends"
    ) { _ in
      TypedEventFailure(ServerSentEvent(name: "order", data: "x"), NothingFailed()).description
    },

    Failure(
      "LastEventIDStoreError.tooLong", "an ID of 70,000 bytes",
      "the last event ID in FOLDER/orders.last-event-id can't be used: it is longer than 65536 bytes; keep it in a store of your own, or have the server send shorter ones"
    ) { folder in
      let store = FileLastEventIDStore(url: folder.url.appending(path: "orders.last-event-id"))
      try await store.store(String(repeating: "1", count: 70_000))
      throw NothingFailed()
    },
    Failure(
      "LastEventIDStoreError.damaged", "a file of two lines",
      "the last event ID in FOLDER/orders.last-event-id can't be used: what is stored there is not UTF-8 text of one line; remove it to start the stream anew"
    ) { folder in
      try folder.write("orders.last-event-id", "1\n2\n")
      _ = try await FileLastEventIDStore(url: folder.url.appending(path: "orders.last-event-id")).load()
      throw NothingFailed()
    },
  ]

  private struct Order: Decodable { var id: Int }

  private static func payload(_ code: String, _ input: String, _ message: String, _ data: String) -> Failure {
    Failure("TypedEventFailure.\(code)", input, message) { _ in
      let event = ServerSentEvent(name: "order", data: data)
      do { _ = try JSONDecoder().decode(Order.self, from: Data(data.utf8)) } catch {
        return TypedEventFailure(event, error).description
      }
      throw NothingFailed()
    }
  }
}
