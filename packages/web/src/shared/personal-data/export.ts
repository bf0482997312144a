import { personalDataApi, type PersonalDataPage, personalDataParts, product } from '@tollgate/contract';
import { call } from '../../lib/api/api-client.ts';
import { downloadText } from '../../lib/format/csv.ts';

export interface DataExport {
  /** Whose data; undefined for one's own. */
  userId: number | undefined;
  signal: AbortSignal;
  /** Hears how many rows were read. */
  onProgress: (count: number) => void;
}

/**
 * Reads everything that the site keeps of a person, page by page, and hands it to the browser as one JSON file; answers
 * how many rows it has. What was read is kept as text that the browser may put on disk.
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
