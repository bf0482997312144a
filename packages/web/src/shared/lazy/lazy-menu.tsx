import { Menu, type MenuProps } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';

/** Props of a menu's button for its element. */
interface MenuButtonProps {
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
  autoFocus?: boolean;
  onClick?: () => void;
}

interface LazyMenuProps extends Pick<MenuProps, 'position' | 'width'> {
  button: (props: MenuButtonProps) => ReactElement;
  /** A `Menu.Dropdown`, or a component that renders one: its state outlives the open dropdown. */
  children: ReactElement;
}

/** A menu that is mounted when it first opens. A list has one in each row, and most are never opened. */
export function LazyMenu({ button, children, position = 'bottom-end', ...menu }: LazyMenuProps) {
  const [mounted, setMounted] = useState(false);
  const [opened, setOpened] = useState(false);
  const open = () => {
    // A closing menu returns the focus to what had it when it opened: by then its own button must be mounted.
    flushSync(() => setMounted(true));
    setOpened(true);
  };
  if (!mounted) return button({ 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: open });
  return (
    <Menu position={position} {...menu} opened={opened} onChange={setOpened}>
      <Menu.Target>{button({ autoFocus: true })}</Menu.Target>
      {children}
    </Menu>
  );
}
