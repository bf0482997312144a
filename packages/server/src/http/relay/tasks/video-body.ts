import type { JsonObject } from '../../../lib/json.ts';
import type { RequestForm, Source } from '../../../relay/types/index.ts';
import { type AuthorizedRequest, readBodyOf, readJson } from '../read-call.ts';
import { isForm, readForm } from '../read-form.ts';
import { withoutGroup } from './body.ts';
import type { TaskRouteDeps } from './deps.ts';

/** The fields of a request for a video, and the images sent as files. */
export interface VideoBody {
  fields: JsonObject;
  pictures: Source[];
}

/** Reads a body that is JSON or a form. Throws RelayError (400, 413). */
export async function readVideoBody(
  { maxBodyBytes }: Pick<TaskRouteDeps, 'maxBodyBytes'>,
  authorized: AuthorizedRequest,
): Promise<VideoBody> {
  const type = authorized.req.headers['content-type'] ?? '';
  const sent = await readBodyOf(authorized, maxBodyBytes);
  if (!isForm(type)) return { fields: withoutGroup(authorized, readJson(sent).json), pictures: [] };
  const { raw, json, form } = await readForm(sent, type, { defaultModel: undefined });
  return { fields: withoutGroup(authorized, json), pictures: picturesIn(raw, form) };
}

/** The files of a form that are images by their content type. */
const picturesIn = (raw: Buffer, { scan }: RequestForm): Source[] =>
  scan.parts
    .filter(({ isFile }) => isFile)
    .map(({ type, valueStart, valueEnd }) => ({
      kind: 'data',
      mediaType: /^image\/[\w.+-]+$/.test(type) ? type : 'image/png',
      base64: raw.subarray(valueStart, valueEnd).toString('base64'),
    }));
