import { Button, Select, TagsInput, TextInput } from '@mantine/core';
import { maxTags, routingPolicies, type RoutingPolicy } from '@tollgate/contract';
import { policyWords } from '../../../shared/wire-words/routing-policy.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { RecordTable } from './record-table.tsx';
import { useState } from 'react';
import { readNumber } from './numbers.ts';
import { text } from './text.ts';
import type { EditorProps } from './types.ts';
import { isNumber, isRecordOf, isText, looseValueOf, valueOf, writeValue } from './value.ts';

export { ChatsEditor } from './chats-editor.tsx';
export { FormOrJson } from './form-or-json.tsx';

interface NumberCellProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  /** Whole numbers of at least this; without it any number of at least 0. */
  wholeFrom?: number;
}

/** A number in a row. An invalid number is marked and never written; on blur the last valid one returns. */
function NumberCell({ label, value, onChange, wholeFrom }: NumberCellProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const bad = typed !== null && readNumber(typed, wholeFrom) === null;
  return (
    <TextInput
      size="xs"
      aria-label={label}
      inputMode="decimal"
      value={typed ?? String(value)}
      error={bad && (wholeFrom === undefined ? t(text.enterNumber) : t(text.enterWhole, { min: wholeFrom }))}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        const number = readNumber(next, wholeFrom);
        if (number !== null) onChange(number);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** The budgets of a group, which other conditions may narrow. */
const openBudgets = (title: string, group: string) =>
  void openLazyDialog({
    title,
    body: async () => {
      const { Budgets } = await import('../../../shared/budgets/budgets.tsx');
      return <Budgets scope={{ group }} mayAdd />;
    },
  });

/** Group → ratio, and its budgets. */
export function GroupRatioEditor({ settingKey, draft, label }: EditorProps) {
  const t = useTranslate();
  const value = valueOf(draft, settingKey);
  if (!isRecordOf(value, isNumber)) return null;
  return (
    <RecordTable
      label={label}
      columns={[text.ratio, text.budgets]}
      value={value}
      fresh={1}
      onChange={(next) => writeValue(draft, settingKey, next)}
      cells={(name, ratio, set) => [
        <NumberCell
          key="ratio"
          label={t(text.cell, { name, column: t(text.ratio) })}
          value={ratio}
          onChange={set}
        />,
        <Button
          key="budgets"
          size="xs"
          variant="default"
          aria-label={t(text.budgetsOf, { name })}
          onClick={() => openBudgets(t(text.budgetsOf, { name }), name)}
        >
          {t(text.budgets)}
        </Button>,
      ]}
    />
  );
}

/** Group → description shown to users. */
export function UsableGroupsEditor({ settingKey, draft, label }: EditorProps) {
  const t = useTranslate();
  const value = valueOf(draft, settingKey);
  if (!isRecordOf(value, isText)) return null;
  return (
    <RecordTable
      label={label}
      columns={[text.description]}
      value={value}
      fresh=""
      onChange={(next) => writeValue(draft, settingKey, next)}
      cells={(name, words, set) => [
        <TextInput
          key="words"
          size="xs"
          aria-label={t(text.cell, { name, column: t(text.description) })}
          value={words}
          maxLength={1000}
          onChange={(event) => set(event.currentTarget.value)}
        />,
      ]}
    />
  );
}

type Limit = readonly [requests: number, successes: number];
const isLimit = (value: unknown): value is Limit =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber);

/** Group → [requests, successes] of a period. */
export function RateLimitGroupsEditor({ settingKey, draft, label }: EditorProps) {
  const t = useTranslate();
  const value = valueOf(draft, settingKey);
  if (!isRecordOf(value, isLimit)) return null;
  const fresh: Limit = [0, 1000];
  return (
    <RecordTable
      label={label}
      columns={[text.requests, text.successes]}
      value={value}
      fresh={fresh}
      onChange={(next) => writeValue(draft, settingKey, next)}
      cells={(name, [requests, successes], set) => [
        <NumberCell
          key="requests"
          label={t(text.cell, { name, column: t(text.requests) })}
          wholeFrom={0}
          value={requests}
          onChange={(next) => set([next, successes])}
        />,
        <NumberCell
          key="successes"
          label={t(text.cell, { name, column: t(text.successes) })}
          wholeFrom={1}
          value={successes}
          onChange={(next) => set([requests, next])}
        />,
      ]}
    />
  );
}

const isPolicy = (value: unknown): value is RoutingPolicy => routingPolicies.some((each) => each === value);

/** Model, prefix of its name, or group → channel selection. */
export function RoutingPoliciesEditor({ settingKey, draft, label }: EditorProps) {
  const t = useTranslate();
  const value = valueOf(draft, settingKey);
  if (!isRecordOf(value, isPolicy)) return null;
  return (
    <RecordTable<RoutingPolicy>
      label={label}
      names={[text.modelOrGroup, text.newRule]}
      columns={[text.policy]}
      value={value}
      fresh="sticky"
      onChange={(next) => writeValue(draft, settingKey, next)}
      cells={(name, policy, set) => [
        <Select
          key="policy"
          size="xs"
          aria-label={t(text.cell, { name, column: t(text.policy) })}
          value={policy}
          allowDeselect={false}
          data={routingPolicies.map((each) => ({ value: each, label: t(policyWords[each]) }))}
          onChange={(next) => next && set(next)}
        />,
      ]}
    />
  );
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** True for rules that the table can show; the setting checks their names. */
const isTagRules = (value: unknown): value is Readonly<Record<string, readonly string[]>> =>
  isRecordOf(value, isNames);

/** Group, key or organisation → names of required tags. */
export function RequiredTagsEditor({ settingKey, draft, label }: EditorProps) {
  const t = useTranslate();
  const value = looseValueOf(draft, settingKey);
  if (!isTagRules(value)) return null;
  return (
    <RecordTable<readonly string[]>
      label={label}
      names={[text.callsOf, text.newTagRule]}
      columns={[text.tagsNeeded]}
      value={value}
      fresh={[]}
      onChange={(next) => writeValue(draft, settingKey, next)}
      cells={(name, tags, set) => [
        <TagsInput
          key="tags"
          size="xs"
          aria-label={t(text.cell, { name, column: t(text.tagsNeeded) })}
          placeholder={tags.length === 0 ? 'team' : ''}
          maxTags={maxTags}
          value={[...tags]}
          onChange={set}
        />,
      ]}
    />
  );
}
