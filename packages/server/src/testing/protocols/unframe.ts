import type { Unframer } from '../../relay/types/index.ts';
import { openConverseFrames } from '../../relay/protocols/bedrock-converse/index.ts';
import { bedrock } from '../../relay/providers/bedrock/index.ts';
import { awsStream } from './aws-frames.ts';

/**
 * The server-sent events that frames of Converse stand for, piece by piece; throws where a frame tells of a failure.
 */
export function* unframed(pieces: Iterable<Buffer>): Generator<Buffer> {
  const unframer: Unframer = openConverseFrames(awsStream, [])!;
  for (const piece of pieces) {
    const events = unframer.push(piece);
    if (events) yield events;
    if (unframer.error) throw unframer.error;
  }
}

const asked = { model: 'm', requestId: 'test-request', startedSeconds: 1_780_000_000 };

/**
 * The events of Messages that Bedrock wrapped in frames for InvokeModel; undefined where a model spoke something else.
 */
export function claudeEvents(frames: Buffer): Buffer | undefined {
  const events = bedrock.endpoints['anthropic-messages']!.unframe!(awsStream, [], asked)!.push(frames);
  return events?.includes('message_start') ? events : undefined;
}
