import { Menu, type MenuItemProps } from '@mantine/core';
import { useAsleep } from './use-asleep.ts';

/** A choice of a menu that changes something at the server at once: asleep on a demo site, and says why. */
export function ChangeItem(props: MenuItemProps & { onClick: () => void }) {
  return <Menu.Item {...props} {...useAsleep()} />;
}
