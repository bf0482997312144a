/** What a version is asked by: its place, and the domain that it is called in the request. */
interface Version {
  path: string;
  domain: string;
}

const versions: Readonly<Record<string, Version>> = {
  'v1.1': { path: '/v1.1/chat', domain: 'lite' },
  'v2.1': { path: '/v2.1/chat', domain: 'generalv2' },
  'v3.1': { path: '/v3.1/chat', domain: 'generalv3' },
  'v3.1-128k': { path: '/chat/pro-128k', domain: 'pro-128k' },
  'v3.5': { path: '/v3.5/chat', domain: 'generalv3.5' },
  'v3.5-32k': { path: '/chat/max-32k', domain: 'max-32k' },
  'v4.0': { path: '/v4.0/chat', domain: '4.0Ultra' },
  x1: { path: '/v1/x1', domain: 'x1' },
};

const usual = 'v1.1';
const ofName = /-(v\d\.\d(?:-\d+k)?|x1)$/i;

/** The version that the query names, else the model, else the channel; the oldest where none does. */
export function versionOf(model: string, other: string, query = ''): Version {
  const asked = new URLSearchParams(query).get('api-version');
  for (const name of [asked, ofName.exec(model)?.[1], other.trim()]) {
    const known = name?.toLowerCase() ?? '';
    if (Object.hasOwn(versions, known)) return versions[known]!;
  }
  return versions[usual]!;
}

export const models = [
  'SparkDesk',
  'SparkDesk-v1.1',
  'SparkDesk-v3.1',
  'SparkDesk-v3.1-128K',
  'SparkDesk-v3.5',
  'SparkDesk-v3.5-32K',
  'SparkDesk-v4.0',
];
