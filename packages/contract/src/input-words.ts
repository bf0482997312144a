import type { z } from 'zod';
import { wholePattern } from './whole.ts';
import type { Words } from './words.ts';

type Issue = z.core.$ZodIssue;

const pair = (zh: string, en: string): Words => ({ zh, en });

/** Texts for the required type of a value. */
const kinds: Readonly<Record<string, Words>> = {
  string: pair('文字', 'text'),
  number: pair('数字', 'a number'),
  int: pair('整数', 'a whole number'),
  boolean: pair(' true 或 false', 'true or false'),
  array: pair('列表', 'a list'),
  object: pair('对象', 'an object'),
  record: pair('对象', 'an object'),
};

const kindOf = (expected: string): Words =>
  kinds[expected] ?? pair('其他类型的值', 'a value of another kind');

const mustBe = ({ zh, en }: Words): Words => pair(`必须是${zh}`, `must be ${en}`);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Text for a bound that a text, a list or a number exceeds. */
function boundWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Words {
  const isSmall = issue.code === 'too_small';
  const bound = String(isSmall ? issue.minimum : issue.maximum);
  if (issue.origin === 'string' || issue.origin === 'array') {
    const unit = issue.origin === 'string' ? pair('个字符', 'characters') : pair('项', 'entries');
    if (isSmall && bound === '1') return pair('不能为空', 'must not be empty');
    if (isSmall) return pair(`至少要有 ${bound} ${unit.zh}`, `must have at least ${bound} ${unit.en}`);
    return pair(`不能超过 ${bound} ${unit.zh}`, `must have at most ${bound} ${unit.en}`);
  }
  if (isSmall) {
    return issue.inclusive === false
      ? pair(`必须大于 ${bound}`, `must be more than ${bound}`)
      : pair(`不能小于 ${bound}`, `must be at least ${bound}`);
  }
  return issue.inclusive === false
    ? pair(`必须小于 ${bound}`, `must be less than ${bound}`)
    : pair(`不能大于 ${bound}`, `must be at most ${bound}`);
}

/** True for an issue of another alternative of a union than the value's own. */
const isOtherKind = (issue: Issue | undefined): boolean =>
  issue === undefined || issue.code === 'invalid_type' || issue.code === 'invalid_value';

/** The most specific issue. In a union it is the issue of the alternative that fits the value. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const meant = issue.errors.find(([first]) => !isOtherKind(first))?.[0];
  return meant ? innermost({ ...meant, path: [...issue.path, ...meant.path] }) : issue;
}

function unionWords(issue: z.core.$ZodIssueInvalidUnion): Words {
  const expected = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [first.expected] : [],
  );
  // A form writes a whole number as a number or as its digits.
  if (expected.length === 2 && expected.includes('number') && expected.includes('string')) {
    return mustBe(kindOf('int'));
  }
  const names = expected.map(kindOf);
  if (names.length === 0) return pair('不正确', 'is not right');
  return mustBe(pair(names.map(({ zh }) => zh).join('或'), names.map(({ en }) => en).join(' or ')));
}

function faultWords(issue: Issue): Words {
  if (isAbsent(issue.input) && (issue.code === 'invalid_type' || issue.code === 'invalid_union')) {
    return pair('不能为空', 'is missing');
  }
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(kindOf(issue.expected));
    case 'too_small':
    case 'too_big':
      return boundWords(issue);
    case 'invalid_value':
      return pair(
        `只能是 ${issue.values.map(String).join('、')}`,
        `must be one of ${issue.values.map(String).join(', ')}`,
      );
    case 'invalid_format':
      if (issue.pattern === String(wholePattern)) return mustBe(kindOf('int'));
      return pair('格式不正确', 'does not have the right form');
    case 'invalid_union':
      return unionWords(issue);
    default:
      return pair('不正确', 'is not right');
  }
}

/** Text for the place of a value: the field's name and the index of the entry. */
function placeWords(path: readonly PropertyKey[], nameOf: (field: string) => Words): Words {
  const fields = path.filter((part) => typeof part === 'string');
  const { zh, en } = nameOf(fields.at(-1) ?? '');
  const last = path.at(-1);
  if (typeof last !== 'number') return pair(zh, en);
  return pair(`${zh}第 ${last + 1} 项`, `${en}, entry ${last + 1},`);
}

/** A failed check: the schema's message and a text for people. */
export interface InputFault {
  /** Message of the schema: one of our error codes, or the library's text, which is never shown. */
  message: string;
  /** Wire name of the field; '' for the input as a whole. */
  field: string;
  /** Text for people, for example `用户名不能超过 20 个字符`. It never contains the library's text or the value. */
  words: Words;
}

/**
 * Converts an issue of a schema. The check needs the option to report the input. `nameOf` gives the display name of a
 * field; for console calls it is `fieldName`.
 */
export function readFault(issue: Issue, nameOf: (field: string) => Words): InputFault {
  const meant = innermost(issue);
  const place = placeWords(meant.path, nameOf);
  const fault = faultWords(meant);
  const isLatin = /[A-Za-z0-9”]$/.test(place.zh) && !/^[ A-Za-z]/.test(fault.zh);
  return {
    message: meant.message,
    field: String(meant.path.find((part) => typeof part === 'string') ?? ''),
    words: pair(`${place.zh}${isLatin ? ' ' : ''}${fault.zh}`, `${place.en} ${fault.en}`),
  };
}
