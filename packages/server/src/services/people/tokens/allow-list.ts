import { AppError } from '@tollgate/contract';
import { type IpRanges, parseIpRanges } from '../../../lib/outbound/address.ts';

/** The entries of an allow list: one per line, without commas and blanks (docs/compatibility.md#relay-keys). */
const entriesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.replace(/\s/g, ''))
    .filter((line) => line !== '');

/**
 * The list in its stored form. Throws `token_address_malformed` for a line that is neither an address nor a CIDR block.
 */
export function tidyAllowList(text: string): string {
  const entries = entriesOf(text);
  for (const entry of entries) {
    try {
      parseIpRanges([entry]);
    } catch (cause) {
      throw new AppError('token_address_malformed', { address: entry.slice(0, 60) }, cause);
    }
  }
  return entries.join('\n');
}

/** The stored list, compiled; null if every address may call. Invalid lines admit no address. */
export function compileAllowList(text: string): IpRanges | null {
  const entries = entriesOf(text);
  if (entries.length === 0) return null;
  const usable = entries.filter((entry) => {
    try {
      parseIpRanges([entry]);
      return true;
    } catch {
      return false;
    }
  });
  return parseIpRanges(usable);
}
