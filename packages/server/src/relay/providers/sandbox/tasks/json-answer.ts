import type { Json } from '../../../../lib/json.ts';
import type { LocalTaskAnswer } from '../../../types/index.ts';

export const jsonAnswer = (status: number, body: Json): LocalTaskAnswer => ({
  status,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
});
