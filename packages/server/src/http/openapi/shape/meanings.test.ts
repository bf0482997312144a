import { describe, expect, it } from 'vitest';
import { writeDocument } from '../document.ts';

interface PlacedField {
  where: string;
  name: string;
  schema: { type?: unknown; description?: string };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Every field of the console's part of the reference, wherever it stands. */
function* fieldsWithin(value: unknown, where: string): Generator<PlacedField> {
  if (!isObject(value)) return;
  if (isObject(value.properties))
    for (const [name, schema] of Object.entries(value.properties))
      if (isObject(schema)) yield { where, name, schema };
  if (Array.isArray(value.parameters))
    for (const { name, schema, in: place } of value.parameters as Record<string, unknown>[])
      if (place !== 'header') yield { where, name: String(name), schema: schema as PlacedField['schema'] };
  for (const [key, each] of Object.entries(value))
    if (key !== 'examples' && key !== 'example') yield* fieldsWithin(each, where);
}

function fieldsOf(language: 'zh' | 'en'): PlacedField[] {
  const { components, paths } = writeDocument(language, 'test') as unknown as {
    components: { schemas: Record<string, unknown> };
    paths: Record<string, Record<string, { operationId: string; 'x-access': string }>>;
  };
  const calls = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((call) => call['x-access'] !== 'key' && call['x-access'] !== 'session');
  const schemas = Object.entries(components.schemas).filter(([name]) => !/Error$|^ModelObject$/.test(name));
  return [
    ...schemas.flatMap(([name, schema]) => [...fieldsWithin(schema, name)]),
    ...calls.flatMap((call) => [...fieldsWithin(call, call.operationId)]),
  ];
}

const isNumber = ({ schema }: PlacedField) => /integer|number/.test(JSON.stringify(schema.type ?? ''));
const named = (fields: readonly PlacedField[]) => [
  ...new Set(fields.map(({ where, name }) => `${where}: ${name}`)),
];

/** Names of numbers that have a unit. */
const measures = /(_time|_at|timestamp|_ms|quota|_ratio|charged)$|^(at|ms|seconds|time|money)$/;

/** Numbers that stand for states, with how many of them there are. */
const states = {
  'UserData: status': 2,
  'TokenData: status': 4,
  'ChannelData: status': 3,
  'RedemptionData: status': 3,
  'UserData: role': 3,
  'organisations-members: role': 3,
  'LogData: type': 8,
};

/** Parts of the reference around accounts, and the schemas that their calls share. */
const peopleParts =
  /^(account|users|sign-in|second-factor|passkeys|mail|other-sites|providers|organisations|invitations|audit|history)-|^(UserData|ManagedUserData|SignedIn|SecondStep|SessionData|FactorStatus|PasskeyData|SignInProviderData|ProviderCheck|AuditData|MovementData)$/;
/** Names that tell all there is; envelopes; and what browsers and Telegram hand over as it is. */
const plainNames =
  /^(id|user_id|name|username|display_name|email|password|group|ip|reason|request_id|issuer|client_id|\w*_name|\w+_endpoint|p|page|page_size|size|limit|total|items|next|success|message|data|target_id|rawId|type|clientDataJSON|attestationObject|authenticatorData|signature|userHandle|transports|authenticatorAttachment|clientExtensionResults|response|auth_date|first_name|last_name|photo_url|lang|options|publicKey|passkeys|changes|note|setting|limit|before|after|value)$/;

it.each(['zh', 'en'] as const)('fields of the account calls are described (%s)', (language) => {
  const fields = fieldsOf(language).filter(
    ({ where, name }) => peopleParts.test(where) && !plainNames.test(name),
  );
  expect(fields.length).toBeGreaterThan(150);
  expect(named(fields.filter(({ schema }) => !schema.description))).toEqual([]);
});

describe.each(['zh', 'en'] as const)('numbers in the reference (%s)', (language) => {
  const numbers = fieldsOf(language).filter(isNumber);

  it('have their unit', () => {
    const measured = numbers.filter(({ name }) => measures.test(name));
    expect(measured.length).toBeGreaterThan(100);
    expect(named(measured.filter(({ schema }) => !schema.description))).toEqual([]);
  });

  it.each(Object.entries(states))('that are states have their values described: %s', (field, count) => {
    const found = numbers.filter(({ where, name }) => `${where}: ${name}` === field);
    expect(found).not.toEqual([]);
    for (const { schema } of found)
      expect(schema.description?.match(/(?<![.\d])\d+ ?[^\d\s,，]/g), schema.description).toHaveLength(count);
  });

  it('that are times are in seconds or milliseconds', () => {
    const moments = numbers.filter(({ name }) => /(_time|_at|timestamp)$|^(at|DeletedAt)$/.test(name));
    const unit = language === 'zh' ? /秒/ : /seconds|milliseconds/i;
    expect(named(moments.filter(({ schema }) => !unit.test(schema.description ?? '')))).toEqual([]);
    const drawn = moments.filter(({ where }) => /Drawing|^drawings/.test(where));
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.every(({ schema }) => /毫秒|milliseconds/i.test(schema.description ?? ''))).toBe(true);
  });

  it('that are amounts are in quota units', () => {
    const amounts = numbers.filter(({ name }) => name.endsWith('quota'));
    expect(amounts.length).toBeGreaterThan(30);
    expect(
      named(amounts.filter(({ schema }) => !/额度单位|quota units/i.test(schema.description ?? ''))),
    ).toEqual([]);
  });
});
