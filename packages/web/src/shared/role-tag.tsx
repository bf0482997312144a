import { role as roles } from '@tollgate/contract';
import { texts, useTranslate, type Text } from '../lib/i18n.ts';
import { Tag, type Tone } from '../ui/tag.tsx';

const words = texts({
  root: { zh: '超级管理员', en: 'Super admin' },
  admin: { zh: '管理员', en: 'Admin' },
  common: { zh: '普通用户', en: 'User' },
  unknown: { zh: '未知身份', en: 'Unknown role' },
});

const badges: Record<number, { tone: Tone; word: Text }> = {
  [roles.root]: { tone: 'accent', word: words.root },
  [roles.admin]: { tone: 'info', word: words.admin },
  [roles.common]: { tone: 'neutral', word: words.common },
};
const unknown: { tone: Tone; word: Text } = { tone: 'neutral', word: words.unknown };

/** Label of a role. */
export const roleWords = (role: number): Text => (badges[role] ?? unknown).word;

/** A user's role as a badge. */
export function RoleTag({ role }: { role: number }) {
  const t = useTranslate();
  const { tone, word } = badges[role] ?? unknown;
  return <Tag tone={tone}>{t(word)}</Tag>;
}
