import { AwsUnframer, isAwsStream, sseEvent } from '../../families/amazon/index.ts';
import type { Unframer } from '../../types/index.ts';

/** The frames of ConverseStream as server-sent events: the type of the event is its name, the body its data. */
export const openConverseFrames = (contentType: string, secrets: readonly string[]): Unframer | undefined =>
  isAwsStream(contentType) ? new AwsUnframer(sseEvent, secrets) : undefined;
