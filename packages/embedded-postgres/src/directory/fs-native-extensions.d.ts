// The part of the package that lock.ts uses. The package has no types.
declare module 'fs-native-extensions' {
  const extensions: {
    /**
     * Locks the whole file exclusively, with F_OFD_SETLK on Linux and flock on macOS. The lock belongs to the open
     * file, not to the process. False if another open file has the lock.
     */
    readonly tryLock: (fd: number) => boolean;
  };
  export default extensions;
}
