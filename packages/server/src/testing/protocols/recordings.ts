import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf, type RecordedEnd, type RecordingKind } from './recording-kinds.ts';
import type { Unframer } from '../../relay/types/index.ts';
import { openConverseFrames } from '../../relay/protocols/bedrock-converse/index.ts';
import { bedrock } from '../../relay/providers/bedrock/index.ts';
import { awsStream } from './aws-frames.ts';

/** Server-sent events from frames of Converse, piece by piece. Throws on a frame with a failure. */
export function* unframed(pieces: Iterable<Buffer>): Generator<Buffer> {
  const unframer: Unframer = openConverseFrames(awsStream, [])!;
  for (const piece of pieces) {
    const events = unframer.push(piece);
    if (events) yield events;
    if (unframer.error) throw unframer.error;
  }
}

const asked = { model: 'm', requestId: 'test-request', startedSeconds: 1_780_000_000 };

/** Messages events from Bedrock's InvokeModel frames; undefined for models with another protocol. */
function claudeEvents(frames: Buffer): Buffer | undefined {
  const events = bedrock.endpoints['anthropic-messages']!.unframe!(awsStream, [], asked)!.push(frames);
  return events?.includes('message_start') ? events : undefined;
}

/** A vendor's recorded streamed answer, with its request. */
export interface Recording {
  vendor: string;
  /** Protocol name in the recordings. */
  protocol: string;
  /** Path within the folder; identifies the recording in reports. */
  file: string;
  status: number;
  contentType: string;
  request: unknown;
  body: Buffer;
  end: RecordedEnd;
}

/** A usage object in the vendor's format. */
export interface UsageRow {
  vendor: string;
  protocol: string;
  model: string | null;
  /** Address of the request. It identifies the protocol if the recording does not. */
  url: string;
  usage: Record<string, unknown>;
}

interface IndexEntry {
  vendor: string;
  protocol: string;
  file: string;
  status: number;
  url: string;
}

/** Recorded vendor traffic is not part of the project. Tests use it if it is available. */
const folder = process.env.RECORDINGS_DIR ?? join(import.meta.dirname, '../../../../../../shared/recordings');

/** True if recorded traffic is available. */
export const haveRecordings = existsSync(join(folder, 'INDEX.json'));

const text = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** Every recording with its classification. Empty without the folder. */
export function judgedRecordings(): (Omit<Recording, 'end'> & { kind: RecordingKind })[] {
  if (!haveRecordings) return [];
  return (JSON.parse(text('INDEX.json')) as IndexEntry[]).map((entry) => {
    const { vendor, protocol, file, status } = entry;
    const about = JSON.parse(text(`${file}.json`)) as { content_type?: string; request: unknown };
    const framed = readFileSync(join(folder, file));
    const events = protocol === 'bedrock-invoke-stream' ? claudeEvents(framed) : undefined;
    const body = events ?? framed;
    return {
      vendor,
      protocol,
      file,
      status,
      contentType: events ? 'text/event-stream' : (about.content_type ?? ''),
      request: about.request,
      body,
      kind: kindOf({ ...entry, body }),
    };
  });
}

/**
 * Recorded streams of some protocols that have an end, with success or with an error of the vendor. Cut streams are
 * excluded.
 */
export const recordedStreams = (...protocols: string[]): Recording[] =>
  judgedRecordings().flatMap(({ kind, ...recording }) =>
    'protocol' in kind && kind.end !== 'cut' && protocols.includes(kind.protocol)
      ? [{ ...recording, protocol: kind.protocol, end: kind.end }]
      : [],
  );

/** Recorded streams of some protocols that ended with success. */
export const wholeStreams = (...protocols: string[]): Recording[] =>
  recordedStreams(...protocols).filter(({ end }) => end === 'complete');

/** Every recorded usage object. */
export const allRecordedUsage = (): UsageRow[] =>
  text('usage.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as UsageRow);

/** Recorded usage objects of some protocols. */
export const recordedUsage = (...protocols: string[]): UsageRow[] =>
  allRecordedUsage().filter((row) => protocols.includes(row.protocol));
