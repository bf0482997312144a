import { siteAddress } from '../../lib/address.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Tag } from '../../ui/tag.tsx';
import { FieldTable } from './field-table.tsx';
import classes from './page.module.css';
import type { Call } from './read-reference.ts';
import { text } from './text.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers by access; the caller's own values are shell variables. */
function headersOf({ access, part }: Call): string[] {
  if (access === 'key') {
    if (part === 'anthropic') return ['"x-api-key: $KEY"', '"anthropic-version: 2023-06-01"'];
    return [part === 'gemini' ? '"x-goog-api-key: $KEY"' : '"Authorization: Bearer $KEY"'];
  }
  if (access === 'public' || access === 'try-user') return [];
  return ['"Authorization: Bearer $ACCESS_TOKEN"', '"New-Api-User: $USER_ID"'];
}

/** The example of a call as a shell command. */
function requestLine(call: Call, site: string): string {
  const { method, request, values } = call;
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const path = call.path.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value === undefined ? slot : encodeURIComponent(String(value));
  });
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString();
  const isForm = request?.type === 'multipart/form-data';
  const headers = [...headersOf(call), ...(request && !isForm ? ['"Content-Type: application/json"'] : [])];
  const form = Object.entries((isForm ? request.example : {}) as Record<string, string>).map(
    ([name, value]) => `-F ${name}=${quoted(name === 'file' || name === 'image' ? `@${value}` : value)}`,
  );
  return [
    `curl ${method === 'GET' || request ? '' : `-X ${method} `}"${site}${path}${query === '' ? '' : `?${query}`}"`,
    ...(request && method === 'PUT' ? ['-X PUT'] : []),
    ...headers.map((header) => `-H ${header}`),
    ...(request && !isForm ? [`-d ${quoted(JSON.stringify(request.example))}`] : []),
    ...form,
  ].join(' \\\n  ');
}

/** All facts of the reference about a call. */
export function CallDetails({ call }: { call: Call }) {
  const t = useTranslate();
  const line = requestLine(call, siteAddress(useStatus()));
  return (
    <div className={classes.details}>
      <p className={classes.lead}>{call.description}</p>
      <section>
        <h4 className={classes.heading}>{t(text.request)}</h4>
        <CodeBlock
          code={line}
          label={t(text.request)}
          action={<CopyButton value={line} what={t(text.copyRequest)} />}
        />
      </section>
      <FieldTable title={t(text.parameters)} fields={call.parameters} />
      <FieldTable title={t(text.body)} fields={call.body} />
      <Answer call={call} />
      <Refusals call={call} />
    </div>
  );
}

function Answer({ call: { answer } }: { call: Call }) {
  const t = useTranslate();
  return (
    <>
      <section>
        <h4 className={classes.heading}>
          {t(text.answer)} <Tag tone={answer.status === '200' ? 'good' : 'neutral'}>{answer.status}</Tag>
          <span className={classes.note}>{answer.type}</span>
        </h4>
        {answer.example !== undefined && (
          <CodeBlock code={JSON.stringify(answer.example, null, 2)} label={t(text.answer)} />
        )}
      </section>
      <FieldTable title={t(text.fields)} fields={answer.fields} />
    </>
  );
}

/** Error codes of a console call, or statuses of a relay call, which has its protocol's errors. */
function Refusals({ call: { refusals, others } }: { call: Call }) {
  const t = useTranslate();
  const rows =
    refusals.length > 0
      ? refusals.map(({ code, words }) => [code, words] as const)
      : others.map(({ status, words }) => [status, words] as const);
  if (rows.length === 0) return null;
  return (
    <section>
      <h4 className={classes.heading}>{t(text.refusals)}</h4>
      <dl className={classes.refusals}>
        {rows.map(([code, words]) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
