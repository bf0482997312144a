import { siteAddress } from '../../lib/address.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Tag } from '../../ui/tag.tsx';
import { FieldTable } from './field-table.tsx';
import classes from './page.module.css';
import type { Call } from './read-reference.ts';
import { requestLine } from './request-line.ts';
import { text } from './text.ts';

/** Everything the reference says of a call. */
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

/** The codes of a console call, or the statuses of a relay call, whose errors are its protocol's. */
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
