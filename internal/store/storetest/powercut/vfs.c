// A file system of SQLite that does what the usual one does and tells Go of everything
// that changes files. One recording at a time.

#include <pthread.h>

#include "vfs.h"
#include "_cgo_export.h"

sqlite3_vfs *sqlite3_vfs_find(const char *);
int sqlite3_vfs_register(sqlite3_vfs *, int);
int sqlite3_vfs_unregister(sqlite3_vfs *);

static sqlite3_vfs *usual;
static sqlite3_vfs own;
// Files that are locked and those that are not have other methods, of which those that
// change files are the same.
static const sqlite3_io_methods *plain[4];
static sqlite3_io_methods told[4];
static pthread_mutex_t kinds = PTHREAD_MUTEX_INITIALIZER;
static const int ioError = 10;
static int (*openDirectory)(const char *, int *);

// Behind what the usual file system keeps of a file stands the number that Go gave it.
static sqlite3_int64 *number(sqlite3_file *f) {
	return (sqlite3_int64 *)((char *)f + own.szOsFile - sizeof(sqlite3_int64));
}

static int fileWrite(sqlite3_file *f, const void *data, int n, sqlite3_int64 at) {
	int rc = plain[0]->xWrite(f, data, n, at);
	if (rc == 0) powercutWrote(*number(f), (void *)data, n, at);
	return rc;
}

static int fileTruncate(sqlite3_file *f, sqlite3_int64 size) {
	int rc = plain[0]->xTruncate(f, size);
	if (rc == 0) powercutTruncated(*number(f), size);
	return rc;
}

static int fileSync(sqlite3_file *f, int flags) {
	sqlite3_int64 begun = powercutNow(); // what is written meanwhile may not be synced
	int rc = plain[0]->xSync(f, flags);
	if (rc == 0) powercutSynced(*number(f), begun);
	return rc;
}

static int fileOpen(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out) {
	int rc = usual->xOpen(usual, name, f, flags, out);
	if (rc != 0 || f->pMethods == 0 || name == 0) return rc;
	int kind = 0;
	pthread_mutex_lock(&kinds);
	while (kind < 4 && plain[kind] != 0 && plain[kind] != f->pMethods) kind++;
	if (kind < 4 && plain[kind] == 0) {
		told[kind] = *f->pMethods;
		told[kind].xWrite = fileWrite;
		told[kind].xTruncate = fileTruncate;
		told[kind].xSync = fileSync;
		plain[kind] = f->pMethods;
	}
	pthread_mutex_unlock(&kinds);
	if (kind == 4 || plain[kind]->xWrite != plain[0]->xWrite) {
		f->pMethods->xClose(f);
		f->pMethods = 0;
		return ioError; // what it does would not be seen
	}
	*number(f) = powercutOpened((char *)name);
	f->pMethods = &told[kind];
	return rc;
}

static int fileDelete(sqlite3_vfs *vfs, const char *name, int syncDir) {
	powercutDeleted((char *)name); // before the directory may be synced
	return usual->xDelete(usual, name, syncDir);
}

// SQLite opens the directory of a file for one thing, to sync it.
static int directoryOpen(const char *name, int *fd) {
	powercutSyncedFolder(); // there is one folder
	return openDirectory(name, fd);
}

int recordingBegin(void) {
	if (usual == 0) {
		usual = sqlite3_vfs_find(0);
		if (usual == 0 || usual->iVersion < 3) return 1;
		own = *usual;
		own.pNext = 0;
		own.zName = "powercut";
		own.szOsFile = (usual->szOsFile + 7) / 8 * 8 + sizeof(sqlite3_int64);
		own.xOpen = fileOpen;
		own.xDelete = fileDelete;
		openDirectory = (int (*)(const char *, int *))usual->xGetSystemCall(usual, "openDirectory");
		if (openDirectory == 0) return 1;
	}
	int rc = usual->xSetSystemCall(usual, "openDirectory", (sqlite3_syscall_ptr)directoryOpen);
	return rc != 0 ? rc : sqlite3_vfs_register(&own, 1);
}

int recordingEnd(void) {
	int rc = sqlite3_vfs_unregister(&own);
	int other = usual->xSetSystemCall(usual, "openDirectory", (sqlite3_syscall_ptr)openDirectory);
	return rc != 0 ? rc : other;
}
