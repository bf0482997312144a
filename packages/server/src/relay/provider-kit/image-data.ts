import { finishedAnswer } from './define-provider.ts';
import { type JsonObject, objectsIn, textOf, parseObject } from '../../lib/json.ts';
import type { SendTools, UpstreamCall } from '../types/index.ts';

/** True if images are requested as data; if a vendor only returns addresses, Tollgate fetches them. */
export const wantsData = ({ asked }: Pick<UpstreamCall, 'asked'>): boolean =>
  asked.response_format === 'b64_json';

/** The images, each with its address, with their data under the name `as` instead of the address. */
export const withData = (
  images: readonly JsonObject[],
  as: string,
  { fetchFile }: Pick<SendTools, 'fetchFile'>,
): Promise<JsonObject[]> =>
  Promise.all(
    images.map(async ({ url, ...image }) => {
      if (textOf(url) === '') return image;
      return { ...image, [as]: (await fetchFile(textOf(url))).base64 };
    }),
  );

/**
 * An image call to a vendor that only returns addresses, in `list`. If data were requested, the call is made here and
 * its images are fetched; any other answer is passed on unchanged.
 */
export async function imagesAsData(
  call: UpstreamCall,
  list: string,
  tools: SendTools,
): Promise<UpstreamCall> {
  if (!wantsData(call)) return call;
  const { method, url, headers } = call;
  const { status, body } = await tools.ask({ method, url, headers, body: call.body, isCall: true });
  const answer = status === 200 ? parseObject(body) : undefined;
  const images = objectsIn(answer?.[list]);
  if (!answer || images.length === 0) return { ...call, local: finishedAnswer(body, status) };
  const data = await withData(images, 'b64_json', tools);
  return { ...call, local: finishedAnswer(Buffer.from(JSON.stringify({ ...answer, [list]: data }))) };
}
