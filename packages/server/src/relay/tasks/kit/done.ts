import { refuse, type TaskUpdate } from '../../types/index.ts';
import { failed } from './read.ts';

/** A video that is done, at the address that its vendor names; without an address there is none. */
export function videoAt(url: string, vendorStatus: string, seconds?: unknown): TaskUpdate {
  if (url === '') return failed(vendorStatus, refuse('vendor_file_missing').message);
  const made = Number(seconds);
  return {
    state: 'succeeded',
    vendorStatus,
    progress: 100,
    result: { url },
    ...(Number.isFinite(made) && made > 0 && { seconds: made }),
  };
}
