import * as z from 'zod/mini';
import { settingError } from './setting-error.ts';
import { group, json } from './define.ts';
import { listUpTo, nameUpTo } from './shapes.ts';

/** Chat applications as links. Each is an object with one name. The console replaces `{address}` and `{key}`. */
const chatList: z.ZodMiniType<readonly Readonly<Record<string, string>>[]> = listUpTo(
  100,
  z.record(nameUpTo(100), nameUpTo(4_096)),
);

/** The console opens these links, so addresses that run code in its page are refused. */
const unsafeLink = /^\s*(javascript|data|vbscript|blob):/i;

function checkChats(value: unknown): void {
  if (!Array.isArray(value)) return;
  for (const entry of value as unknown[]) {
    if (typeof entry !== 'object' || entry === null) throw settingError('chats_invalid');
    const links = Object.values(entry) as unknown[];
    const [link] = links;
    if (links.length !== 1 || typeof link !== 'string' || unsafeLink.test(link))
      throw settingError('chats_invalid');
  }
}

/** True if a web address contains the key before its fragment. That part reaches the site's server and its logs. */
const sendsKey = (link: string): boolean => /^\s*(https?:)?\/\/[^#]*\{key\}/i.test(link);

/** Requires that links to other sites contain the key only in the fragment. */
function checkSavedChats(list: z.output<typeof chatList>): void {
  for (const [name, link] of list.flatMap((entry) => Object.entries(entry)))
    if (sendsKey(link)) throw settingError('chat_link_sends_key', { name });
}

export const chats = group(
  'general',
  { zh: '聊天设置', en: 'Chat applications' },
  {
    Chats: json({
      schema: chatList,
      check: checkChats,
      checkSaved: checkSavedChats,
      default: [
        { 'ChatGPT Next Web': 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
        // Links with the key in the query are excluded: a query reaches the other site's server and its logs.
        { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
      ],
      publicAs: 'chats',
      widget: 'custom:chats',
      label: { zh: '聊天链接', en: 'Links' },
      help: {
        zh: 'JSON 数组，每一项为 {"名称": "链接"}；{address} 替换为服务器地址，{key} 替换为令牌（其他网站的链接只能在 # 之后使用）',
        en: 'JSON list of {"name": "link"}, where {address} is this server and {key}, after the # for other sites, the key',
      },
    }),
  },
);
