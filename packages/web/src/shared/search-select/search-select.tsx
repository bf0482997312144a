import { Select, type SelectProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';

const text = texts({ nothing: { zh: '没有匹配的选项', en: 'Nothing matches' } });

type SearchSelectProps = Omit<SelectProps, 'searchable' | 'ref'>;

/** Selects the whole text unless a part of it is selected already. */
function selectWhole(input: HTMLInputElement): void {
  if (input.selectionStart === input.selectionEnd) input.select();
}

/** Keys that move the cursor to edit the text. */
const caretKeys = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End']);

/**
 * A select with a long, searchable list. The field shows the selected option. Its text is selected on focus and after a
 * choice, so that typing replaces it and searches.
 */
export function SearchSelect({ onFocus, onClick, onKeyDown, ...props }: SearchSelectProps) {
  const t = useTranslate();
  const field = useRef<HTMLInputElement>(null);
  /** Further clicks do not select text that was typed since the last selection. */
  const typing = useRef(false);
  const { value, data } = props;
  useEffect(() => {
    typing.current = false;
    // The new label is in the field only after the list has closed.
    const timer = setTimeout(() => {
      if (!typing.current && field.current && document.activeElement === field.current)
        field.current.select();
    });
    return () => clearTimeout(timer);
  }, [value]);
  useEffect(() => {
    // Options that load late bring the label of the choice, after the click that selected an empty field.
    if (!typing.current && field.current && document.activeElement === field.current) field.current.select();
  }, [data]);
  return (
    <Select
      ref={field}
      searchable
      selectFirstOptionOnChange
      // A form that starts with this field must not open its list over the other fields.
      openOnFocus={false}
      nothingFoundMessage={t(text.nothing)}
      {...props}
      onInput={() => {
        typing.current = true;
      }}
      // The list writes its label into the field at an unknown time, which clears the text selection.
      onKeyDown={(event) => {
        const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
        if (caretKeys.has(event.key)) typing.current = true;
        if (isTyped && !typing.current) selectWhole(event.currentTarget);
        onKeyDown?.(event);
      }}
      onFocus={(event) => {
        typing.current = false;
        event.currentTarget.select();
        onFocus?.(event);
      }}
      // The mouse button is released after the focus, which would remove the selection.
      onClick={(event) => {
        if (!typing.current) selectWhole(event.currentTarget);
        onClick?.(event);
      }}
    />
  );
}
