import { describe, expect, test } from 'vitest';
import { createPasswords, retryWithOtherPassword } from '../src/connection/passwords.ts';

/** A server with one password, and a pool whose file has one. */
function createLogin(password: string) {
  const state = { server: password, file: password, tried: [] as string[] };
  const passwords = createPasswords(() => state.file);
  const connectWith = async (chosen: string) => {
    state.tried.push(chosen);
    const error = chosen === state.server ? null : Object.assign(new Error('rejected'), { code: '28P01' });
    passwords.report(chosen, error);
    if (error !== null) throw error;
  };
  const connect = () => retryWithOtherPassword(passwords, async () => connectWith(passwords.choose()));
  return { state, passwords, connect };
}

describe('new connections while a password is rotated', () => {
  test('succeed after the file has changed and before the server has', async () => {
    const { state, connect } = createLogin('old');
    await connect();
    state.file = 'new';
    await connect();
    await connect();
    state.server = 'new';
    await connect();
    await connect();
    expect(state.tried).toEqual(['old', 'new', 'old', 'old', 'old', 'new', 'new']);
  });

  test('succeed where the server changes between two attempts', async () => {
    const { state, passwords } = createLogin('old');
    passwords.report('old', null);
    state.file = 'new';
    const tried: string[] = [];
    await retryWithOtherPassword(passwords, async () => {
      const chosen = passwords.choose();
      tried.push(chosen);
      if (tried.length === 2) state.server = 'new';
      const error = chosen === state.server ? null : Object.assign(new Error('rejected'), { code: '28P01' });
      passwords.report(chosen, error);
      if (error !== null) throw error;
    });
    expect(tried).toEqual(['new', 'old', 'new']);
  });

  test('succeed in parallel', async () => {
    const { state, connect } = createLogin('old');
    await connect();
    state.file = 'new';
    await Promise.all(Array.from({ length: 8 }, connect));
    state.server = 'new';
    await Promise.all(Array.from({ length: 8 }, connect));
    expect(state.tried.length).toBeLessThanOrEqual(1 + 16 + 16);
  });
});

test('a password that is simply wrong is tried once, and again after the file has changed', async () => {
  const { state, connect } = createLogin('right');
  state.file = 'wrong';
  await expect(connect()).rejects.toThrow('rejected');
  expect(state.tried).toEqual(['wrong']);
  state.file = 'right';
  await connect();
  state.server = 'changed without the file';
  await expect(connect()).rejects.toThrow('rejected');
  expect(state.tried).toEqual(['wrong', 'right', 'right']);
});

test('another failure is not retried', async () => {
  const { state, passwords } = createLogin('old');
  passwords.report('old', null);
  state.file = 'new';
  let attempts = 0;
  const failing = retryWithOtherPassword(passwords, async () => {
    attempts += 1;
    throw Object.assign(new Error('unreachable'), { code: 'ECONNREFUSED' });
  });
  await expect(failing).rejects.toThrow('unreachable');
  expect(attempts).toBe(1);
});
