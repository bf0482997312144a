import { TagsInput, type TagsInputProps } from '@mantine/core';
import { toast } from './feedback/toast.ts';

interface NamesInputProps extends Omit<TagsInputProps, 'isDuplicate' | 'onDuplicate'> {
  /** Message for a duplicate name. */
  exists: string;
}

/** Names of models and groups are case-sensitive; the library's own check is not. */
const isSame = (name: string, names: readonly string[]): boolean => names.includes(name);

/** Names of models or groups, typed or chosen; commas or line breaks separate several. */
export const NamesInput = ({ exists, ...props }: NamesInputProps) => (
  <TagsInput
    splitChars={[',', '，', '\n']}
    {...props}
    isDuplicate={isSame}
    onDuplicate={() => toast.info(exists)}
  />
);
