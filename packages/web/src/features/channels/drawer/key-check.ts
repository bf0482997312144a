import { findJsonFault } from '../../../lib/format/json-check.ts';

/** Vertex: a key is the JSON file of a service account, or one API key. */
export const vertexType = '41';

/** Faults of a typed key; `formText` has the messages. */
export type KeyFault =
  | { fault: 'keyNoJson'; line: number; column: number }
  | { fault: 'keyFieldMissing' | 'loginFieldMissing'; field: string }
  | { fault: 'keyHasSpaces' | 'keyIsNoLogin' }
  | { fault: 'keyIsJson' };

/** Server of tools: its models are tools, with prices per call. */
export const toolServerType = '9002';

/** Codex: a key is the JSON of a login. */
export const codexType = '57';

/** Types with a JSON file as key, in one line or several. */
export const hasKeyFile = (type: string): boolean => type === vertexType || type === codexType;

/** Fields that are needed to request Google's tokens. */
const accountFields = ['client_email', 'private_key', 'project_id'] as const;
/** Fields that are needed to use and renew a login; OpenAI's own file nests them one level deeper. */
const loginFields = ['access_token', 'refresh_token'] as const;

/** The files of a JSON list; undefined for other texts. */
function listedFiles(text: string): unknown[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

/** The keys in a form's text, one per line. JSON files may have several lines, and a JSON list has several files. */
export const keysIn = (type: string, text: string): string[] => {
  const whole = text.trim();
  if (hasKeyFile(type))
    return whole === '' ? [] : (listedFiles(whole)?.map((file) => JSON.stringify(file)) ?? [whole]);
  return [...new Set(whole.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
};

/** The first fault of a key; null if there is none or the key is empty. */
export function keyFault(type: string, text: string): KeyFault | null {
  const key = text.trim();
  if (type === vertexType && key.startsWith('[')) return listFault(key);
  const isJson = key.startsWith('{');
  if (!hasKeyFile(type)) return isJson && key.includes('\n') ? { fault: 'keyIsJson' } : null;
  if (!isJson) return plainFault(type, key);
  const broken = findJsonFault(key);
  if (broken) return { fault: 'keyNoJson', ...broken };
  const file = JSON.parse(key) as Record<string, unknown>;
  if (type === vertexType) return missingIn(file, accountFields, 'keyFieldMissing');
  const { tokens } = file;
  const login = typeof tokens === 'object' && tokens !== null ? (tokens as Record<string, unknown>) : file;
  return missingIn(login, loginFields, 'loginFieldMissing');
}

/** The first fault of several files. */
function listFault(text: string): KeyFault | null {
  const broken = findJsonFault(text);
  if (broken) return { fault: 'keyNoJson', ...broken };
  const faults = (listedFiles(text) ?? []).map((file) =>
    keyFault(vertexType, typeof file === 'string' ? file : JSON.stringify(file)),
  );
  return faults.find((fault) => fault !== null) ?? null;
}

/** Vertex also has plain API keys, Codex does not. */
function plainFault(type: string, key: string): KeyFault | null {
  if (key === '') return null;
  if (type === codexType) return { fault: 'keyIsNoLogin' };
  return /\s/.test(key) ? { fault: 'keyHasSpaces' } : null;
}

function missingIn(
  file: Readonly<Record<string, unknown>>,
  names: readonly string[],
  fault: 'keyFieldMissing' | 'loginFieldMissing',
): KeyFault | null {
  const field = names.find((name) => typeof file[name] !== 'string' || file[name] === '');
  return field === undefined ? null : { fault, field };
}
