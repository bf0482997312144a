import { product, type VersionCheck } from '@tollgate/contract';
import { z } from 'zod';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Settings } from '../../site/settings/index.ts';

export interface VersionCheckDeps {
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'request'>;
  /** The running version. */
  version: string;
  clock: Clock;
  log: Log;
}

/** Returns the known newer version; fetches it at most every six hours, or every minute on request. */
export type CheckVersion = (again: boolean) => Promise<VersionCheck>;

const keptMs = 6 * 3_600_000;
const againMs = 60_000;
const timeoutMs = 5_000;
const maxAnswerBytes = 256 * 1024;
const maxNotes = 4_000;

const release = z.object({
  tag_name: z.string().min(1).max(100),
  html_url: z.string().max(1_024).optional().catch(undefined),
  body: z.string().optional().catch(undefined),
});

/** The numbers of a version such as `v1.2.3-beta`; null for other texts. */
function numbersOf(version: string): number[] | null {
  const found = /^v?(\d{1,9}(?:\.\d{1,9})*)/.exec(version.trim());
  return found ? found[1]!.split('.').map(Number) : null;
}

/** True if one version is later than another, by their numbers only; an invalid version is never newer. */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(than), numbersOf(version)];
  if (!ours || !theirs) return false;
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const difference = (theirs[place] ?? 0) - (ours[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

type Found = Omit<VersionCheck, 'enabled' | 'checked_time'>;
const nothing: Found = { latest: '', is_newer: false, page: '', notes: '', failed: false };

/** Checks for newer versions, if the operator has enabled it. */
export function createVersionCheck({ settings, http, version, clock, log }: VersionCheckDeps): CheckVersion {
  let last: { address: string; at: number; found: Promise<Found> } | undefined;

  const ask = async (address: string): Promise<Found> => {
    try {
      const answer = await http.request(
        {
          method: 'GET',
          url: address,
          // Quoted in the help text of the setting.
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': product.id,
          },
          // Root chose the address: a mirror may be in a private network.
          scope: 'operator',
          headersTimeoutMs: timeoutMs,
          bodyTimeoutMs: timeoutMs,
        },
        maxAnswerBytes,
      );
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
      const {
        tag_name: latest,
        html_url = '',
        body = '',
      } = release.parse(JSON.parse(answer.body.toString()));
      return {
        latest,
        is_newer: isNewer(latest, version),
        page: html_url.startsWith('https://') ? html_url : '',
        notes: body.slice(0, maxNotes),
        failed: false,
      };
    } catch (error) {
      log.warn({ reason: String(error) }, 'the newest version could not be asked for');
      return { ...nothing, failed: true };
    }
  };

  return async (again) => {
    if (!settings.get('VersionCheckEnabled')) return { ...nothing, enabled: false, checked_time: 0 };
    const address = settings.get('VersionCheckAddress');
    const isOld = !last || last.address !== address || clock() - last.at >= (again ? againMs : keptMs);
    if (!last || isOld) last = { address, at: clock(), found: ask(address) };
    const { at, found } = last;
    return { ...(await found), enabled: true, checked_time: seconds(() => at) };
  };
}
