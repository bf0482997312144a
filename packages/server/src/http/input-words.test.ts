import * as contract from '@tollgate/contract';
import {
  AppError,
  authApi,
  errors,
  fieldName,
  hasFieldName,
  readFault,
  type Route,
  userApi,
} from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallContext } from './context.ts';
import { implement } from './implement.ts';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'path' in value && 'input' in value && 'access' in value;

const declared: Route[] = Object.values<unknown>(contract)
  .filter((value) => typeof value === 'object' && value !== null)
  .flatMap((value) => Object.values(value as object).filter(isRoute));

/** The fields of an input, under any wrapper of its schema. */
function fieldsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.out as z.ZodType);
  throw new Error('an input that is no object');
}

const wrongValues = [
  undefined,
  null,
  true,
  Number.NaN,
  7.5,
  -1e15,
  1e30,
  '',
  'no number',
  'x'.repeat(1_100_000),
  [],
  [{}],
  ['x'],
  {},
  { a: 1 },
];

/** zod's own texts in either language, and bounds in the syntax of code. */
const rawWords =
  /invalid (input|option|string|value|key)|expected|received|too (small|big)|unrecognized|NaN|undefined|>=|<=|无效输入|期望|收到|实际接收|数值过/i;

async function readRefusal(route: Route, input: object): Promise<AppError> {
  const [call] = implement({ call: route }, { call: () => null });
  try {
    await call!.serve({ query: {}, body: input, slots: {} }, { language: 'zh' } as CallContext);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error(`${route.path} takes ${JSON.stringify(input).slice(0, 80)}`);
}

describe('invalid input', () => {
  const cases = declared
    .filter((route) => fieldsOf(route.input).length > 0)
    .map((route) => [`${route.method} ${route.path}`, route] as const);

  it('is tested for every call', () => expect(cases.length).toBeGreaterThan(50));

  it.each(cases)('of %s is reported with the name that the console shows', (_name, { input }) => {
    for (const field of fieldsOf(input)) {
      expect(hasFieldName(field), field).toBe(true);
      for (const value of wrongValues) {
        const parsed = z.safeParse(input, { [field]: value }, { reportInput: true });
        for (const issue of parsed.error?.issues ?? []) {
          const { message, words } = readFault(issue, fieldName);
          if (Object.hasOwn(errors, message)) continue;
          // Allowed values are written as a caller sends them.
          const choices = issue.code === 'invalid_value' ? issue.values.map(String) : [];
          for (const text of [words.zh, words.en]) {
            expect(text).not.toMatch(rawWords);
            expect(choices.reduce((rest, choice) => rest.replace(choice, ''), text)).not.toContain('_');
            // A caller's own name, in a record, is quoted unchanged. No name of ours is quoted.
            expect(text.replace('“a”', '')).not.toContain('“');
          }
          expect(words.en).not.toMatch(/[\u4e00-\u9fff]/);
          expect(words.zh).toMatch(/[\u4e00-\u9fff]/);
        }
      }
    }
  });

  const good = { username: 'alice', password: 'correct horse' };
  it.each([
    [authApi.register, { ...good, password: 'seven77' }, '密码长度不得小于 8 位！'],
    [authApi.register, { ...good, username: ' ' }, '输入不合法 用户名不能为空'],
    [authApi.register, { ...good, username: 'x'.repeat(21) }, '输入不合法 用户名不能超过 20 个字符'],
    [userApi.create, {}, '用户名和密码不能为空！'],
    [userApi.create, { ...good, username: '' }, '用户名和密码不能为空！'],
    [userApi.create, { ...good, password: '' }, '用户名和密码不能为空！'],
    [userApi.create, { ...good, password: 'seven77' }, '密码长度不得小于 8 位！'],
    [userApi.create, { ...good, username: 'x'.repeat(21) }, '输入不合法 用户名不能超过 20 个字符'],
    [userApi.create, { ...good, password: 'x'.repeat(129) }, '输入不合法 密码不能超过 128 个字符'],
    [userApi.update, { id: 1, password: 'seven77' }, '密码长度不得小于 8 位！'],
    [userApi.update, { id: 'x' }, '输入不合法 ID 必须是整数'],
    [contract.channelApi.update, { id: 1, priority: -1_000 }, '输入不合法 优先级不能小于 -999'],
    [contract.channelApi.removeMany, { ids: [1, 'x'] }, '输入不合法 所选记录第 2 项必须是整数'],
    [contract.channelApi.create, { type: 1, key: 'k' }, '输入不合法 名称不能为空'],
    [contract.optionApi.update, { value: 'x' }, '输入不合法 选项名称不能为空'],
    [contract.optionApi.update, { key: 'x' }, '输入不合法 选项的值不能为空'],
    [contract.optionApi.update, { key: ['x'], value: 'x' }, '输入不合法 选项名称必须是文字'],
    [
      contract.channelApi.update,
      { id: 1, system_prompt: 'Be brief', settings: '{"allow_service_tier":true}' },
      'system_prompt, settings 在当前版本没有作用，请删除后再提交',
    ],
    [
      contract.channelApi.create,
      { mode: 'all', channel: { type: 1, name: 'x', key: 'a\nb' } },
      'mode 只能是 single、batch 或 multi_to_single',
    ],
    [
      contract.channelApi.editTag,
      { tag: 'a', setting: '{"proxy":"http://x"}' },
      'setting 在当前版本没有作用，请删除后再提交',
    ],
  ] as const)('%# is refused with its message', async (route, input, words) => {
    expect((await readRefusal(route as Route, input)).say('zh')).toBe(words);
  });

  it('that is present is never reported as missing', () => {
    const long = 'x'.repeat(1_100_000);
    for (const { path, input } of declared)
      for (const field of fieldsOf(input)) {
        const parsed = z.safeParse(input, { ...good, [field]: long }, { reportInput: true });
        const own = parsed.error?.issues.filter((issue) => issue.path[0] === field) ?? [];
        for (const { message } of own) expect(message, `${path} ${field}`).not.toMatch(/_(empty|missing)$/);
      }
  });

  const writing = declared.filter(({ method }) => method !== 'GET');
  const named = (routes: Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const);

  it.each(named(writing))('of %s: a member that nothing reads is refused by name', async (_name, route) => {
    const example = (route.example ?? {}) as object;
    for (const value of ['x', 1, true, { a: 1 }, ['x']]) {
      const refused = await readRefusal(route, { ...example, no_such_member: value, other_member: 0 });
      expect(refused.code).toBe('unknown_members');
      expect(refused.say('zh')).toContain('no_such_member, other_member');
      expect(refused.say('en')).toContain('no_such_member, other_member');
    }
  });

  it('names a member inside of another', async () => {
    const limit = { period: 'month', quota: 1, daily: 5 };
    const route = contract.teamApi.changeMember as Route;
    expect((await readRefusal(route, { id: 1, user_id: 2, limit })).say('en')).toContain('limit.daily');
    const rows = [{ model: 'm', set: { ModelRatio: 1 }, seen: {}, note: 'x' }];
    const approve = contract.priceSyncApi.approve as Route;
    expect((await readRefusal(approve, { rows })).say('en')).toContain('rows.note');
  });

  it('does not include members that ask for nothing, or that a call answers itself', () => {
    const empty = { a: null, b: '', c: [], d: {}, e: false, f: '{"a":false,"b":"","c":{}}' };
    for (const { input } of writing) expect(contract.unknownMembers(input, empty)).toEqual([]);
    for (const { path, input, echoes } of writing.filter((route) => route.echoes !== undefined)) {
      const row = Object.fromEntries(Object.keys(echoes!.shape).map((name) => [name, 7]));
      expect([path, Object.keys(row)]).toEqual([
        path,
        expect.arrayContaining(contract.unknownMembers(input, row)),
      ]);
    }
  });

  const unseen = ['\r\n', '\t', '\u200b', '\u202e', '\u2028', '\x1b[31m', '\u2066'];
  it.each(unseen)('includes invisible characters in a user’s name: %j', async (mark) => {
    const name = `ro${mark}ot`;
    const form = '输入不合法 用户名格式不正确';
    for (const route of [
      authApi.register,
      userApi.create,
      userApi.update,
      contract.selfApi.update,
    ] as Route[]) {
      const whose = fieldsOf(route.input).includes('id') ? { id: 1 } : {};
      expect((await readRefusal(route, { ...good, ...whose, username: name })).say('zh')).toBe(form);
    }
    if (mark === '\u200b') return;
    const shown = { id: 1, display_name: name };
    expect((await readRefusal(userApi.update as Route, shown)).say('zh')).toBe(
      '输入不合法 显示名称格式不正确',
    );
  });

  it('does not include emoji and the scripts of display names', () => {
    for (const name of ['👩‍👩‍👧', 'नमस्ते', '张三', 'O’Neil é'])
      expect(z.safeParse(userApi.update.input, { id: 1, display_name: name }).success).toBe(true);
  });

  it('has a field’s special name only where the call has such a field', () => {
    for (const { path, input, fieldNames = {} } of declared)
      for (const name of Object.keys(fieldNames))
        expect([path, fieldsOf(input)]).toEqual([path, expect.arrayContaining([name])]);
  });

  it('has all English messages that a form in English needs', async () => {
    const refused = await readRefusal(contract.channelApi.update as Route, { id: 1, priority: -1_000 });
    expect(refused.say('en')).toBe('Invalid input: Priority must be at least -999');
  });
});
