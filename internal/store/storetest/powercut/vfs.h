// What the recording needs of SQLite's interface to files
// (https://www.sqlite.org/c3ref/vfs.html, https://www.sqlite.org/c3ref/io_methods.html).
// The driver has SQLite in it and does not show its header to other packages.

#ifndef POWERCUT_VFS_H
#define POWERCUT_VFS_H

typedef long long int sqlite3_int64;
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef void (*sqlite3_syscall_ptr)(void);

typedef struct sqlite3_io_methods {
	int iVersion;
	int (*xClose)(sqlite3_file *);
	int (*xRead)(sqlite3_file *, void *, int, sqlite3_int64);
	int (*xWrite)(sqlite3_file *, const void *, int, sqlite3_int64);
	int (*xTruncate)(sqlite3_file *, sqlite3_int64);
	int (*xSync)(sqlite3_file *, int);
	int (*xFileSize)(sqlite3_file *, sqlite3_int64 *);
	void *locks[3];
	int (*xFileControl)(sqlite3_file *, int, void *);
	void *kind[2];
	void *shared[4];
	void *mapped[2];
} sqlite3_io_methods;

struct sqlite3_file {
	const sqlite3_io_methods *pMethods;
};

struct sqlite3_vfs {
	int iVersion;
	int szOsFile;
	int mxPathname;
	sqlite3_vfs *pNext;
	const char *zName;
	void *pAppData;
	int (*xOpen)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
	int (*xDelete)(sqlite3_vfs *, const char *, int);
	void *rest[10];
	void *xCurrentTimeInt64;
	int (*xSetSystemCall)(sqlite3_vfs *, const char *, sqlite3_syscall_ptr);
	sqlite3_syscall_ptr (*xGetSystemCall)(sqlite3_vfs *, const char *);
	void *xNextSystemCall;
};

int recordingBegin(void);
int recordingEnd(void);

#endif
