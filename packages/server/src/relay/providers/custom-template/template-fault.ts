import type { Words } from '@tollgate/contract';
import { isJson, isObject, objectOf, parseObject } from '../../../lib/json.ts';
import type { FieldFault } from '../../types/index.ts';
import { isHeader, isPath } from './template.ts';

const kinds = {
  object: { zh: '对象', en: 'an object' },
  path: {
    zh: '以单个 / 开头的路径，不含空格和反斜杠',
    en: 'a path that begins with one /, without spaces and \\',
  },
  header: {
    zh: '可以发送的请求头：名称不能是 host 等连接本身的请求头，值只能包含可打印的 ASCII 字符',
    en: 'a header that may be sent: none of the connection itself such as host, its value in printable ASCII',
  },
} satisfies Record<string, Words>;

const wrongKind = (member: string, kind: Words): FieldFault => ({
  code: 'channel_member_type',
  member,
  kind,
});
const idle = (member: string): FieldFault => ({ code: 'channel_member_idle', member });

/**
 * The first error of a template, by its name; undefined for a valid one. A path applies to one of the `offered`
 * protocols only: under any other name it would never be called.
 */
export function templateFault(other: string, offered: readonly string[]): FieldFault | undefined {
  if (other.trim() === '') return undefined;
  const given = parseObject(other);
  if (!given) return { code: isJson(other) ? 'channel_json_not_object' : 'channel_json_invalid' };
  for (const [member, value] of Object.entries(given)) {
    if (member !== 'paths' && member !== 'headers') return idle(member);
    if (value !== null && !isObject(value)) return wrongKind(member, kinds.object);
  }
  for (const [protocol, path] of Object.entries(objectOf(given.paths))) {
    if (!offered.includes(protocol)) return idle(`paths.${protocol}`);
    if (!isPath(path)) return wrongKind(`paths.${protocol}`, kinds.path);
  }
  const header = Object.entries(objectOf(given.headers)).find(([name, value]) => !isHeader(name, value));
  return header && wrongKind(`headers.${header[0]}`, kinds.header);
}
