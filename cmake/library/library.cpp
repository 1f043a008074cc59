// All of libergon.so comes from the archives of its modules; CMake wants one file.
