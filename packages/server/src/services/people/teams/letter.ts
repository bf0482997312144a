import { fillWords, type Language, type Words } from '@tollgate/contract';
import { escapeHtml, type Mail } from '../../site/notify/index.ts';

const texts = {
  subject: {
    zh: '{site}：{inviter} 邀请您加入组织「{team}」',
    en: '{site}: {inviter} invites you to “{team}”',
  },
  text: {
    zh: '您好，{inviter} 邀请您加入{site}的组织「{team}」。\n请打开以下链接查看并接受：{link}\n链接 {days} 天内有效，只能使用一次。如果您不认识对方，请忽略。',
    en: '{inviter} invites you to join the organisation “{team}” at {site}.\nOpen this link to see and accept it: {link}\nIt is valid for {days} days and works once. If you do not know them, ignore this mail.',
  },
} satisfies Record<string, Words>;

/** Values for the placeholders of an invitation mail. */
export interface InvitationValues {
  site: string;
  inviter: string;
  team: string;
  link: string;
  days: number;
}

/** Writes an invitation mail in a language, as HTML and as plain text. */
export function writeInvitation(to: string, values: InvitationValues, language: Language): Mail {
  const words = { ...values };
  const safe = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, escapeHtml(String(value))]),
  );
  const html = { ...safe, link: `<a href="${safe['link'] ?? ''}">${safe['link'] ?? ''}</a>` };
  const lines = texts.text[language].split('\n');
  return {
    to,
    // A line break in a name must not start another header.
    subject: fillWords(texts.subject[language], words).replace(/[\r\n]+/g, ' '),
    html: lines.map((line) => `<p>${fillWords(line, html)}</p>`).join('\n'),
    text: lines.map((line) => fillWords(line, words)).join('\n\n'),
  };
}
