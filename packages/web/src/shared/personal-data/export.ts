import { personalDataApi, type PersonalDataPage, personalDataParts, product } from '@tollgate/contract';
import { call } from '../../lib/api/api-client.ts';
import { downloadText } from '../../lib/format/csv.ts';

export interface DataExport {
  /** The user; undefined for the own account. */
  userId: number | undefined;
  signal: AbortSignal;
  /** Called with the number of read rows. */
  onProgress: (count: number) => void;
}

/**
 * Reads all stored data of a user page by page, and downloads it as one JSON file; returns the number of rows. The read
 * text is a blob, which the browser may put on disk.
 */
export async function exportPersonalData({ userId, signal, onProgress }: DataExport): Promise<number> {
  const texts = [`{"exported_at":${JSON.stringify(new Date().toISOString())},"data":{`];
  let count = 0;
  for (const part of personalDataParts) {
    texts.push(`${texts.length > 1 ? ',' : ''}\n${JSON.stringify(part)}:[`);
    let isFirst = true;
    for (let after: string | null = ''; after !== null;) {
      const page: PersonalDataPage =
        userId === undefined
          ? await call(personalDataApi.own, { part, after }, { signal })
          : await call(personalDataApi.of, { id: userId, part, after }, { signal });
      for (const row of page.rows) {
        texts.push(`${isFirst ? '' : ','}\n${JSON.stringify(row)}`);
        isFirst = false;
      }
      count += page.rows.length;
      after = page.next;
      onProgress(count);
    }
    texts.push(']');
  }
  texts.push('\n}}\n');
  const day = new Date().toISOString().slice(0, 10);
  const whose = userId === undefined ? '' : `-user-${userId}`;
  downloadText(`${product.id}-data${whose}-${day}.json`, texts, 'application/json');
  return count;
}
