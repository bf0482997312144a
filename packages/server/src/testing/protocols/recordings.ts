import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf, type RecordedEnd, type RecordingKind } from './recording-kinds.ts';
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
function claudeEvents(frames: Buffer): Buffer | undefined {
  const events = bedrock.endpoints['anthropic-messages']!.unframe!(awsStream, [], asked)!.push(frames);
  return events?.includes('message_start') ? events : undefined;
}

/** A vendor's real streamed answer and the request it answers. */
export interface Recording {
  vendor: string;
  /** The protocol as the recordings name it. */
  protocol: string;
  /** Path within the folder; names the recording in reports. */
  file: string;
  status: number;
  contentType: string;
  request: unknown;
  body: Buffer;
  end: RecordedEnd;
}

/** A usage object as a vendor reported it. */
export interface UsageRow {
  vendor: string;
  protocol: string;
  model: string | null;
  /** Where the request went; tells the protocol where the recording does not. */
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

/** Recorded vendor traffic is not part of the project; tests use it where it is. */
const folder = process.env.RECORDINGS_DIR ?? join(import.meta.dirname, '../../../../../../shared/recordings');

/** True where recorded traffic is at hand. */
export const haveRecordings = existsSync(join(folder, 'INDEX.json'));

const text = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** Every recording there is, with what it can show. None where the folder is not there. */
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
 * The recorded streams of some protocols that came to an end, with success or with an error of the vendor's. What was
 * cut is no measure for anything.
 */
export const recordedStreams = (...protocols: string[]): Recording[] =>
  judgedRecordings().flatMap(({ kind, ...recording }) =>
    'protocol' in kind && kind.end !== 'cut' && protocols.includes(kind.protocol)
      ? [{ ...recording, protocol: kind.protocol, end: kind.end }]
      : [],
  );

/** Those of them that ended well. */
export const wholeStreams = (...protocols: string[]): Recording[] =>
  recordedStreams(...protocols).filter(({ end }) => end === 'complete');

/** Every recorded usage object. */
export const allRecordedUsage = (): UsageRow[] =>
  text('usage.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as UsageRow);

/** The recorded usage objects of some protocols. */
export const recordedUsage = (...protocols: string[]): UsageRow[] =>
  allRecordedUsage().filter((row) => protocols.includes(row.protocol));
