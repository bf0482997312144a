import { Button, Skeleton, Switch, Textarea, TextInput } from '@mantine/core';
import { declarationOf, type SettingKey, type SettingKind } from '@tollgate/contract';
import { type ReactNode, Suspense, useState } from 'react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { JsonField, jsonProblem } from '../../shared/json-field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Tag } from '../../ui/tag.tsx';
import { type Draft, problemOf } from './draft/draft.ts';
import classes from './page.module.css';
import { choiceWords, text } from './text.ts';
import type { Editor } from './editors/types.ts';
import { looseValueOf, pairsOf, valueOf } from './editors/value.ts';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';

const loadEditors = () => import('./editors/group-editors.tsx');

/** Few sections have editors; their code loads with the first expanded one. */
const formOf = (name: Exclude<keyof Awaited<ReturnType<typeof loadEditors>>, 'FormOrJson'>) =>
  lazy(async () => ({ default: (await loadEditors())[name] }));
const FormOrJson = lazy(async () => ({ default: (await loadEditors()).FormOrJson }));

/** Loads with the first amount. */
const QuotaField = lazy(async () => ({ default: (await import('../../shared/quota-field.tsx')).QuotaField }));

/** Editors with only valid choices. */
const reads: Editor['reads'] = (draft, key) => valueOf(draft, key) !== undefined;

const editors: Partial<Record<string, Editor>> = {
  'custom:group-ratio': { Form: formOf('GroupRatioEditor'), reads },
  'custom:usable-groups': { Form: formOf('UsableGroupsEditor'), reads },
  'custom:rate-limit-groups': { Form: formOf('RateLimitGroupsEditor'), reads },
  'custom:routing-policies': { Form: formOf('RoutingPoliciesEditor'), reads },
  'custom:required-tags': {
    Form: formOf('RequiredTagsEditor'),
    reads: (draft, key) => looseValueOf(draft, key) !== undefined,
  },
  'custom:chats': {
    Form: formOf('ChatsEditor'),
    reads: (draft, key) => pairsOf(looseValueOf(draft, key)) !== undefined,
  },
};

/** The setting's custom editor; undefined if the field of its kind is enough. */
function editorOf(key: SettingKey): Editor | undefined {
  const { widget } = declarationOf(key);
  return widget === undefined ? undefined : editors[widget];
}

interface FieldProps {
  settingKey: SettingKey;
  draft: Draft;
  /** A hidden setting with a value. */
  isSet: boolean;
}

/** One setting: label and description on one side, its field on the other, and whether it differs from the default. */
export function Field({ settingKey, draft, isSet }: FieldProps) {
  const t = useTranslate();
  const declaration = declarationOf(settingKey);
  return (
    <div
      className={classes.field}
      data-wide={editorOf(settingKey) !== undefined || undefined}
      id={`setting-${settingKey}`}
    >
      <div>
        {/* The option's name on the wire is for users who search for it. */}
        <div className={classes.label} title={settingKey}>
          {t(declaration.label)}
        </div>
        <div className={classes.help}>
          <Help words={t(declaration.help)} hasForm={editorOf(settingKey) !== undefined} />
        </div>
      </div>
      <div>
        <Control settingKey={settingKey} draft={draft} isSet={isSet} />
        <Marks settingKey={settingKey} draft={draft} />
      </div>
    </div>
  );
}

/** The description of a setting: text in backticks as code; without a leading "JSON:" if there is a form. */
function Help({ words, hasForm }: { words: string; hasForm: boolean }) {
  const plain = hasForm ? words.replace(/^JSON\s*[:：，,]\s*/, '') : words;
  return plain.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** Shows whether the setting is changed or differs from the default, with buttons to reset it. */
function Marks({ settingKey, draft }: Omit<FieldProps, 'isSet'>) {
  const t = useTranslate();
  const declaration = declarationOf(settingKey);
  const fallback = declaration.format(declaration.default);
  // The model ratios' default is incomplete here (vite.config.ts): the server resets it on request.
  const isUnknown = declaration.secret || settingKey === 'ModelRatio';
  const isDefault = isUnknown || draft.textOf(settingKey) === fallback;
  const isChanged = draft.isChanged(settingKey);
  if (isDefault && !isChanged) return null;
  return (
    <div className={classes.marks}>
      {isChanged && <Tag tone="warn">{t(text.changed)}</Tag>}
      {!isDefault && (
        <>
          <Tag>{t(text.notDefault)}</Tag>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            c="var(--tg-text-2)"
            onClick={() => draft.set(settingKey, fallback)}
          >
            {t(text.toDefault)}
          </Button>
        </>
      )}
    </div>
  );
}

/** A form before the JSON, if the setting has one. */
function JsonControl({ settingKey, draft, children }: Omit<FieldProps, 'isSet'> & { children: ReactNode }) {
  const t = useTranslate();
  const editor = editorOf(settingKey);
  if (!editor) return children;
  const label = t(declarationOf(settingKey).label);
  return (
    <Suspense fallback={<Skeleton height={120} />}>
      <FormOrJson editor={editor} settingKey={settingKey} draft={draft} label={label} json={children} />
    </Suspense>
  );
}

/** The field of a setting's kind. */
function Control({ settingKey, draft, isSet }: FieldProps) {
  const t = useTranslate();
  const language = useLanguage();
  const [left, setLeft] = useState(false);
  const declaration = declarationOf(settingKey);
  const value = draft.textOf(settingKey);
  const set = (next: string) => draft.set(settingKey, next);
  const shared: SharedProps = {
    'aria-label': t(declaration.label),
    onBlur: () => setLeft(true),
    error: left && draft.isChanged(settingKey) ? problemOf(settingKey, value, language) : null,
  };
  switch (declaration.kind) {
    case 'toggle':
      return (
        <Switch
          aria-label={shared['aria-label']}
          checked={value === 'true'}
          onChange={(event) => set(String(event.currentTarget.checked))}
        />
      );
    case 'integer':
    case 'decimal':
      return declaration.widget === 'custom:dollars' ? (
        <Suspense fallback={<Skeleton height={36} />}>
          <QuotaField {...shared} value={value} presets={[]} onChange={(units) => set(String(units))} />
        </Suspense>
      ) : (
        <TextInput
          {...shared}
          value={value}
          inputMode={declaration.kind === 'integer' ? 'numeric' : 'decimal'}
          onChange={(event) => set(event.currentTarget.value.trim())}
        />
      );
    case 'choice':
      return (
        <ChoiceControl shared={shared} choices={declaration.choices ?? []} value={value} onChange={set} />
      );
    case 'json':
      return (
        <JsonControl settingKey={settingKey} draft={draft}>
          <JsonField
            {...shared}
            error={shared.error && (jsonProblem(t, value) ?? shared.error)}
            value={value}
            onChange={set}
          />
        </JsonControl>
      );
    default:
      return (
        <TextControl shared={shared} kind={declaration.kind} isSet={isSet} value={value} onChange={set} />
      );
  }
}

/** Props of every field. */
interface SharedProps {
  'aria-label': string;
  onBlur: () => void;
  error: string | null;
}

interface ControlProps {
  shared: SharedProps;
  value: string;
  onChange: (next: string) => void;
}

function ChoiceControl({ shared, choices, value, onChange }: ControlProps & { choices: readonly string[] }) {
  const t = useTranslate();
  return (
    <ChoiceField
      {...shared}
      data={choices.map((choice) => {
        const words = choiceWords[choice];
        return { value: choice, label: words ? t(words) : choice };
      })}
      value={value}
      onChange={onChange}
    />
  );
}

/** One line, several lines, or a hidden text. */
function TextControl({
  shared,
  kind,
  isSet,
  value,
  onChange,
}: ControlProps & { kind: SettingKind; isSet: boolean }) {
  const t = useTranslate();
  if (kind === 'secret')
    return (
      <PasswordField
        {...shared}
        value={value}
        placeholder={t(isSet ? text.secretSet : text.secretUnset)}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (kind === 'longText' || kind === 'lines')
    return (
      <Textarea
        {...shared}
        value={value}
        autosize
        minRows={3}
        maxRows={16}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shared}
      value={value}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
