import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A vendor's real streamed answer and the request it answers. */
export interface Recording {
  vendor: string;
  protocol: string;
  /** Path within the folder; names the recording in reports. */
  file: string;
  status: number;
  contentType: string;
  request: unknown;
  body: Buffer;
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
}

/** Recorded vendor traffic is not part of the project; tests use it where it is. */
const folder = process.env.RECORDINGS_DIR ?? join(import.meta.dirname, '../../../../../shared/recordings');

export const haveRecordings = existsSync(join(folder, 'INDEX.json'));

const text = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** The recorded streams of some protocols. */
export function recordedStreams(...protocols: string[]): Recording[] {
  const index = JSON.parse(text('INDEX.json')) as IndexEntry[];
  return index
    .filter((entry) => protocols.includes(entry.protocol))
    .map(({ vendor, protocol, file, status }) => {
      const about = JSON.parse(text(`${file}.json`)) as { content_type?: string; request: unknown };
      const contentType = about.content_type ?? '';
      return {
        vendor,
        protocol,
        file,
        status,
        contentType,
        request: about.request,
        body: readFileSync(join(folder, file)),
      };
    });
}

/** Every recorded usage object. */
export const allRecordedUsage = (): UsageRow[] =>
  text('usage.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as UsageRow);

/** The recorded usage objects of some protocols. */
export const recordedUsage = (...protocols: string[]): UsageRow[] =>
  allRecordedUsage().filter((row) => protocols.includes(row.protocol));
