import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '@tollgate/contract';
import { eachDialect } from '../../../store/each-dialect.ts';
import { accounts, type Db, users } from '../../../store/index.ts';
import { checkNewName, isPlainName } from './usernames.ts';

const hex = (point: number): string => `U+${point.toString(16)}`;

describe('a name for people to tell from others', () => {
  it('has none of the characters that nobody sees', () => {
    const seen: string[] = [];
    for (let point = 0; point <= 0x10_ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      if (!/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character) || character === ' ') continue;
      if (isPlainName(`ro${character}ot`)) seen.push(hex(point));
    }
    expect(seen).toEqual([]);
  });

  it.each([
    ['full-width', 'ｒoot'],
    ['mathematical', '𝐫oot'],
    ['circled', 'ⓡoot'],
    ['long s', 'ſam'],
    ['the Kelvin sign', '\u212aate'],
    ['decomposed', 'Ame\u0301lie'],
    ['ideographic space', '小\u3000明'],
    ['two spaces', 'the  boss'],
    ['Braille blank', 'root\u2800'],
    ['Hangul filler', 'root\u3164'],
    ['Cyrillic o', 'r\u043eot'],
    ['Greek o', 'r\u03bfot'],
    ['Armenian o', 'r\u0585ot'],
    ['Cherokee', 'roo\u13a2'],
  ])('is not %s: %s', (_kind, name) => {
    expect(isPlainName(name)).toBe(false);
  });

  it.each([
    'root',
    'Bob 2',
    '小明',
    '小明Bob',
    'Амелия',
    'Amélie',
    'σοφία',
    'ユーザー',
    '🙂',
    'o.k-_~',
    '小明（客服）！',
    '$1+1=2',
  ])('may be %s', (name) => {
    expect(isPlainName(name)).toBe(true);
  });
});

eachDialect('a new name', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
    const account_id = await accounts.create(db);
    await users.create(db, { account_id, username: 'Root', created_time: 1 });
  });
  const refusal = async (name: string, how: Partial<Parameters<typeof checkNewName>[2]> = {}) => {
    try {
      await checkNewName(db, name, { isOwnChoice: true, ...how });
      return 'accepted';
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  };

  it('is nobody else’s in upper or lower case', async () => {
    for (const name of ['Root', 'root', 'ROOT', 'rOOT']) expect(await refusal(name)).toBe('username_taken');
    expect(await refusal('roots')).toBe('accepted');
    expect(await refusal('r_ot')).toBe('accepted');
  });

  it('may be one’s own in another case', async () => {
    const { id } = (await users.findByName(db, 'Root'))!;
    expect(await refusal('root', { userId: id })).toBe('accepted');
  });

  it('is no mail address, unless an administrator gives it', async () => {
    expect(await refusal('a@b.c')).toBe('username_unclear');
    expect(await refusal('a＠b.c')).toBe('username_unclear');
    expect(await refusal('a@b.c', { isOwnChoice: false })).toBe('accepted');
  });
});
