import type { Unframer } from '../relay/model/passing/unframe-pipe.ts';
import { openConverseFrames } from '../relay/protocols/bedrock-converse/index.ts';
import { awsStream } from './aws-frames.ts';

/** The server-sent events that frames of Converse stand for, piece by piece; throws where a frame tells of a failure. */
export function* unframed(pieces: Iterable<Buffer>): Generator<Buffer> {
  const unframer: Unframer = openConverseFrames(awsStream, [])!;
  for (const piece of pieces) {
    const events = unframer.push(piece);
    if (events) yield events;
    if (unframer.error) throw unframer.error;
  }
}
