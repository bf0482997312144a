import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Source } from './kit/detect.ts';
import type { Taken } from './kit/ids.ts';
import type { Report } from './kit/report.ts';
import type { SourceData } from './read-source.ts';

/** Shared data of one import. */
export interface Move {
  source: Source;
  data: SourceData;
  fingerprint: string;
  /** Rows of the target before the import. */
  taken: Taken;
  report: Report;
  sealer: Sealer;
  /** Keeps hashes of keys only. */
  hashOnly: boolean;
  log: Log;
  clock: () => number;
  /** Of this Tollgate. */
  version: string;
}
