import { useTranslate } from '../../lib/i18n.ts';
import classes from './page.module.css';
import type { Field } from './schema-text.ts';
import { text } from './text.ts';

interface FieldTableProps {
  title: string;
  fields: readonly Field[];
}

/** Fields with their types; empty for a call without a body or answer. */
export function FieldTable({ title, fields }: FieldTableProps) {
  const t = useTranslate();
  if (fields.length === 0) return null;
  return (
    <section>
      <h4 className={classes.heading}>{title}</h4>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={title}>
        <table className={classes.fields}>
          <thead>
            <tr>
              <th scope="col">{t(text.name)}</th>
              <th scope="col">{t(text.type)}</th>
              <th scope="col">{t(text.meaning)}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={`${field.place ?? ''} ${field.name}`}>
                <th scope="row">
                  <code>{field.name}</code>{' '}
                  {field.place && <span className={classes.note}>{t(text[field.place])}</span>}
                </th>
                <td>
                  <code>{field.type}</code>
                </td>
                <td>
                  {[
                    field.required ? t(text.required) : '',
                    field.meaning,
                    field.byDefault === undefined ? '' : t(text.byDefault, { value: field.byDefault }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
