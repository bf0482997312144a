import { teamRole } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { translate } from '../../../lib/i18n.ts';
import { type FileProblem, readCsv, readMembers } from './read-members.ts';

const perUnit = 500_000;
const read = (body: string) => readMembers(body, perUnit, 3);
const words = (problem: FileProblem['problem'] | undefined) =>
  problem?.((text, ...values) => translate('en', text, ...values));

describe('a file of members', () => {
  test('has cells with quotes, line breaks and other delimiters, and keeps the lines of its rows', () => {
    expect(readCsv('\uFEFFa,b\r\n"x, ""y""\nz",2\r\n\r\n3,4')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x, "y"\nz', '2'] },
      { line: 5, cells: ['3', '4'] },
    ]);
    expect(readCsv('a;b\n1;"2;3"').map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1', '2;3'],
    ]);
  });

  test('is read in any order of its columns, with dollars and the end of a day', () => {
    const [row] = read('grant_until,Weekly,email,role,grant\n2027-01-31,2.5,a@b.example,Manager,$10');
    expect(row).toEqual({
      line: 2,
      name: 'a@b.example',
      row: {
        username: '',
        email: 'a@b.example',
        display_name: '',
        role: teamRole.manager,
        weekly: 1_250_000,
        grant: 5_000_000,
        grant_until: new Date(2027, 1, 1).getTime() / 1_000,
      },
    });
  });

  test('names what is wrong with a row, and reads the others', () => {
    const rows = read('username,role,weekly,grant,grant_until\na,boss,,,\nb,,-1,,\nc,,,5,2027-02-30');
    expect(rows.map(({ line, problem }) => [line, words(problem)])).toEqual([
      [2, 'The role must be member or manager'],
      [3, 'weekly must be dollars of zero or more'],
      [4, 'A grant needs its last day in grant_until, such as 2027-01-31'],
    ]);
  });

  test.each([
    ['', /no members/],
    ['username', /no members/],
    ['username\na\nb\nc\nd', /At most 3/],
    ['username,paid\na,1', /Unknown column “paid”/],
    ['role\nmember', /username or email/],
  ])('is refused as a whole: %j', (body, reason) => {
    const refused = (() => {
      try {
        read(body);
      } catch (error) {
        return error as FileProblem;
      }
      return undefined;
    })();
    expect(words(refused?.problem)).toMatch(reason);
  });
});
