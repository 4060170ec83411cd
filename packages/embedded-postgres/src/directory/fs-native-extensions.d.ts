// The part of the package that this folder uses. It has no types of its own.
declare module 'fs-native-extensions' {
  const extensions: {
    /**
     * Locks the whole file exclusively, for the open file and not for the process: by F_OFD_SETLK on Linux and by
     * flock on macOS. False when another open file has a lock on it.
     */
    readonly tryLock: (fd: number) => boolean;
  };
  export default extensions;
}
