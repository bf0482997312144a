import { findJsonFault } from '../../../lib/format/json-check.ts';

/** Vertex: a key is the JSON file of a service account, or one API key. */
export const vertexType = '41';

/** What is wrong with a key as it was typed; the words for it are in `formText`. */
export type KeyFault =
  | { fault: 'keyNoJson'; line: number; column: number }
  | { fault: 'keyFieldMissing'; field: string }
  | { fault: 'keyHasSpaces' }
  | { fault: 'keyIsJson' };

/** What Google's tokens are asked for with. */
const accountFields = ['client_email', 'private_key', 'project_id'] as const;

/** The keys that a form's text holds: one a line, except for Vertex, whose key is a text of several lines. */
export const keysIn = (type: string, text: string): string[] => {
  const whole = text.trim();
  if (type === vertexType) return whole === '' ? [] : [whole];
  return [...new Set(whole.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
};

/** The first fault of a key; null where it may be right, or is empty. */
export function keyFault(type: string, text: string): KeyFault | null {
  const key = text.trim();
  const isJson = key.startsWith('{');
  if (type !== vertexType) return isJson && key.includes('\n') ? { fault: 'keyIsJson' } : null;
  if (!isJson) return /\s/.test(key) ? { fault: 'keyHasSpaces' } : null;
  const broken = findJsonFault(key);
  if (broken) return { fault: 'keyNoJson', ...broken };
  const file = JSON.parse(key) as Record<string, unknown>;
  const field = accountFields.find((name) => typeof file[name] !== 'string' || file[name] === '');
  return field === undefined ? null : { fault: 'keyFieldMissing', field };
}
