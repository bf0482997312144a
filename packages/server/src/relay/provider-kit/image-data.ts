import { answerAtHand } from './local-answer.ts';
import { type JsonObject, objectsIn, textOf, parseObject } from '../../lib/json.ts';
import type { SendTools, UpstreamCall } from '../types/index.ts';

/** True where images are asked for as data; vendors that only name them by address leave the fetching to us. */
export const wantsData = ({ asked }: Pick<UpstreamCall, 'asked'>): boolean =>
  asked.response_format === 'b64_json';

/** The images, each told by its address, with their data under the name `as` in the place of the address. */
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
 * A call for images to a vendor who tells them by address alone, under `list`. Where data were asked for, the call is
 * made here and its images are fetched; whatever else it answers is told as it came.
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
  if (!answer || images.length === 0) return { ...call, local: answerAtHand(body, status) };
  const data = await withData(images, 'b64_json', tools);
  return { ...call, local: answerAtHand(Buffer.from(JSON.stringify({ ...answer, [list]: data }))) };
}
